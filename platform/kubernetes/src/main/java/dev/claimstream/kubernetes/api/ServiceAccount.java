package dev.claimstream.kubernetes.api;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Service account of the pod that runs this process.
 *
 * @param folder folder with {@code token}, {@code ca.crt} and {@code namespace}
 * @param environment variables with host and port of the API server
 */
record ServiceAccount(Path folder, Map<String, String> environment) {
    static final Path DEFAULT_FOLDER = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    private static final String HOST = "KUBERNETES_SERVICE_HOST";
    private static final String PORT = "KUBERNETES_SERVICE_PORT";

    ServiceAccount {
        environment = Map.copyOf(environment);
    }

    /** Returns the client configuration. The kubelet replaces the token before it expires after an hour. */
    Config config() {
        var token = new TokenFile(requireReadable("token"));
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl(server())
                .withCaCertFile(requireReadable("ca.crt").toString())
                .withOauthTokenProvider(token)
                .build();
        namespace().ifPresent(config::setNamespace);
        return config;
    }

    private String server() {
        String host = variable(HOST);
        return "https://%s:%s".formatted(host.contains(":") ? "[" + host + "]" : host, variable(PORT));
    }

    private String variable(String name) {
        return Optional.ofNullable(environment.get(name))
                .filter(value -> !value.isBlank())
                .orElseThrow(() -> notInPod("%s is not set".formatted(name)));
    }

    private Path requireReadable(String name) {
        Path file = folder.resolve(name);
        if (!Files.isReadable(file)) {
            throw notInPod("%s cannot be read".formatted(file));
        }
        return file;
    }

    private static IllegalArgumentException notInPod(String reason) {
        return new IllegalArgumentException(
                "%s: this process does not run in a pod, or its pod mounts no token (automountServiceAccountToken); name a kubeconfig"
                        .formatted(reason));
    }

    private Optional<String> namespace() {
        Path file = folder.resolve("namespace");
        return Files.isReadable(file) ? Optional.of(text(file)) : Optional.empty();
    }

    private static String text(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new IllegalArgumentException("%s cannot be read: %s".formatted(file, e.getMessage()), e);
        }
    }
}

package dev.claimstream.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.Config;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cluster access by the service account files of a pod. */
final class ServiceAccountTest {
    private static final String HOST = "KUBERNETES_SERVICE_HOST";
    private static final String PORT = "KUBERNETES_SERVICE_PORT";

    @TempDir
    private Path folder = Path.of("");

    @BeforeEach
    void mountFiles() throws IOException {
        for (String name : List.of("token", "ca.crt", "namespace")) {
            Files.writeString(folder.resolve(name), "the " + name + "\n");
        }
    }

    private Config config(String host) {
        return new ServiceAccount(folder, Map.of(HOST, host, PORT, "443")).config();
    }

    @Test
    void readsServerFromEnvironment() {
        assertThat(config("10.0.0.1").getMasterUrl()).startsWith("https://10.0.0.1:443");
        assertThat(config("fd00::1").getMasterUrl()).startsWith("https://[fd00::1]:443");
        assertThat(config("10.0.0.1").getNamespace()).isEqualTo("the namespace");
        assertThat(config("10.0.0.1").getCaCertFile())
                .isEqualTo(folder.resolve("ca.crt").toString());
    }

    @Test
    void rereadsRenewedToken() throws IOException {
        Config config = config("10.0.0.1");
        assertThat(config.getOauthTokenProvider().getToken()).isEqualTo("the token");
        Files.writeString(folder.resolve("token"), "a newer one");
        assertThat(config.getOauthTokenProvider().getToken()).isEqualTo("a newer one");
    }

    @ParameterizedTest
    @ValueSource(strings = {"token", "ca.crt"})
    void namesMissingFile(String name) throws IOException {
        Files.delete(folder.resolve(name));
        assertThatThrownBy(() -> config("10.0.0.1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(folder.resolve(name) + " cannot be read")
                .hasMessageEndingWith("name a kubeconfig");
    }

    @ParameterizedTest
    @ValueSource(strings = {HOST, PORT})
    void namesMissingVariable(String name) {
        Map<String, String> environment = new HashMap<>(Map.of(HOST, "10.0.0.1", PORT, "443"));
        environment.put(name, " ");
        assertThatThrownBy(() -> new ServiceAccount(folder, environment).config())
                .hasMessageStartingWith(name + " is not set");
    }
}

package dev.claimstream.kubernetes.api;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.OAuthTokenProvider;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Address and credentials of an API server.
 *
 * @param kubeconfigs kubeconfig files, merged as kubectl does: for each name the first file that defines it counts; empty: the service
 *     account of the pod that runs this process
 * @param context context of the files; absent: their current context
 * @param serviceAccountFolder folder with the files of the service account
 */
public record ApiAccess(List<Path> kubeconfigs, Optional<String> context, Path serviceAccountFolder) {
    private static final int CONNECT_TIMEOUT_MS = 5000;
    private static final int REQUEST_TIMEOUT_MS = 20_000;

    public ApiAccess {
        kubeconfigs = List.copyOf(kubeconfigs);
        if (context.isPresent() && kubeconfigs.isEmpty()) {
            throw new IllegalArgumentException(
                    "context %s: a context is one of a kubeconfig, name that too".formatted(context.get()));
        }
    }

    /** Uses the given kubeconfig files, or the service account of this pod if there are none. */
    public ApiAccess(List<Path> kubeconfigs, Optional<String> context) {
        this(kubeconfigs, context, ServiceAccount.DEFAULT_FOLDER);
    }

    /** Uses one kubeconfig file. */
    public static ApiAccess of(Path kubeconfig, Optional<String> context) {
        return new ApiAccess(List.of(kubeconfig), context);
    }

    /** Uses the service account of this pod at the path that Kubernetes mounts. */
    public static ApiAccess inCluster() {
        return inCluster(ServiceAccount.DEFAULT_FOLDER);
    }

    /** Uses a service account at another path. */
    public static ApiAccess inCluster(Path account) {
        return new ApiAccess(List.of(), Optional.empty(), account);
    }

    /**
     * Validates the access before a service starts. Sends no request.
     *
     * @throws IllegalArgumentException if the access is unusable; the message contains the remedy
     */
    public void check() {
        ApiHttpClient.open(this).close();
    }

    /**
     * Returns the URL of the API server.
     *
     * @throws IllegalArgumentException if the access is unusable; the message contains the remedy
     */
    public String server() {
        return ApiHttpClient.trimTrailingSlash(config().getMasterUrl());
    }

    /**
     * Returns the namespace of the context.
     *
     * @throws IllegalArgumentException if the access is unusable; the message contains the remedy
     */
    public Optional<String> namespace() {
        return Optional.ofNullable(config().getNamespace()).filter(name -> !name.isBlank());
    }

    /**
     * Returns the bearer token of the user; empty if the user has a client certificate or a password.
     *
     * @throws IllegalArgumentException if the access is unusable; the message contains the remedy
     */
    public Optional<String> token() {
        Config config = config();
        return Optional.ofNullable(config.getOauthTokenProvider())
                .map(OAuthTokenProvider::getToken)
                .or(() -> Optional.ofNullable(config.getOauthToken()))
                .or(() -> Optional.ofNullable(config.getAutoOAuthToken()))
                .filter(text -> !text.isBlank());
    }

    /**
     * Describes the source of the credentials for error messages.
     *
     * @throws IllegalArgumentException if the access is unusable; the message contains the remedy
     */
    String credentialsSource() {
        return kubeconfigs.isEmpty()
                ? "the service account of this pod"
                : Kubeconfig.read(kubeconfigs, context).credentialsSource();
    }

    /** Returns the client configuration. Retries of the client are off, because only the callers know which requests are safe to retry. */
    Config config() {
        Config config = kubeconfigs.isEmpty()
                ? new ServiceAccount(serviceAccountFolder, System.getenv()).config()
                : Kubeconfig.read(kubeconfigs, context).config();
        return new ConfigBuilder(config)
                .withRequestRetryBackoffLimit(0)
                .withConnectionTimeout(CONNECT_TIMEOUT_MS)
                .withRequestTimeout(REQUEST_TIMEOUT_MS)
                .withUserAgent("claimstream")
                .build();
    }
}

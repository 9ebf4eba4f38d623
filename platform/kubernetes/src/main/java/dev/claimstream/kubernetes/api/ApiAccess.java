package dev.claimstream.kubernetes.api;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * How an API server is reached.
 *
 * @param kubeconfigs files as kubectl reads them, of which the first one counts that names something; none: the service account of the
 *     pod that this process runs in
 * @param context one of the files; absent: their current one
 * @param account where the files of the service account lie
 */
public record ApiAccess(List<Path> kubeconfigs, Optional<String> context, Path account) {
    private static final int CONNECT_WITHIN_MS = 5000;
    private static final int ANSWER_WITHIN_MS = 20_000;

    public ApiAccess {
        kubeconfigs = List.copyOf(kubeconfigs);
        if (context.isPresent() && kubeconfigs.isEmpty()) {
            throw new IllegalArgumentException(
                    "context %s: a context is one of a kubeconfig, name that too".formatted(context.get()));
        }
    }

    /** As kubeconfigs say it, or, where there is none, as the service account of this pod. */
    public ApiAccess(List<Path> kubeconfigs, Optional<String> context) {
        this(kubeconfigs, context, ServiceAccount.USUAL);
    }

    /** As a kubeconfig says it. */
    public static ApiAccess of(Path kubeconfig, Optional<String> context) {
        return new ApiAccess(List.of(kubeconfig), context);
    }

    /** As the service account of this pod, whose files lie where Kubernetes puts them. */
    public static ApiAccess inCluster() {
        return inCluster(ServiceAccount.USUAL);
    }

    /** The same, where the files of the account lie elsewhere. */
    public static ApiAccess inCluster(Path account) {
        return new ApiAccess(List.of(), Optional.empty(), account);
    }

    /**
     * Reads it, so that a mistake in it is told before anything is started.
     *
     * @throws IllegalArgumentException where it cannot be used, with the remedy
     */
    public void check() {
        ApiServer.open(this).close();
    }

    /**
     * Where the API server is.
     *
     * @throws IllegalArgumentException where the access cannot be used, with the remedy
     */
    public String server() {
        return ApiServer.trimmed(config().getMasterUrl());
    }

    /**
     * The namespace that the context names.
     *
     * @throws IllegalArgumentException where the access cannot be used, with the remedy
     */
    public Optional<String> namespace() {
        return Optional.ofNullable(config().getNamespace()).filter(name -> !name.isBlank());
    }

    /**
     * Whose credentials are shown to the server.
     *
     * @throws IllegalArgumentException where the access cannot be used, with the remedy
     */
    String who() {
        return kubeconfigs.isEmpty()
                ? "the service account of this pod"
                : Kubeconfig.read(kubeconfigs, context).who();
    }

    /** The settings of the client. It never tries again by itself: what may be tried again is known here only. */
    Config config() {
        Config config = kubeconfigs.isEmpty()
                ? new ServiceAccount(account, System.getenv()).config()
                : Kubeconfig.read(kubeconfigs, context).config();
        return new ConfigBuilder(config)
                .withRequestRetryBackoffLimit(0)
                .withConnectionTimeout(CONNECT_WITHIN_MS)
                .withRequestTimeout(ANSWER_WITHIN_MS)
                .withUserAgent("claimstream")
                .build();
    }
}

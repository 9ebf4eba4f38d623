package dev.claimstream.cli;

import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiCluster;
import dev.claimstream.kubernetes.api.ApiScope;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** Which Kubernetes cluster is meant. As a plugin of kubectl it is the one that kubectl would ask. */
final class ClusterOption {
    /** Set by {@code kubectl-claimstream}. */
    static final String PLUGIN = "CLAIMSTREAM_PLUGIN";

    private static final String KUBECONFIG = "KUBECONFIG";

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description =
                    "The cluster that this file names, as kubectl reads it. Default as kubectl claimstream: $KUBECONFIG,"
                            + " else ~/.kube/config.")
    private Optional<Path> kubeconfig = Optional.empty();

    @Option(
            names = "--context",
            paramLabel = "NAME",
            description = "The context of the kubeconfig. Default: its current one.")
    private Optional<String> context = Optional.empty();

    /**
     * The cluster, where one is meant.
     *
     * @throws IllegalArgumentException where a context is named and no kubeconfig
     */
    Optional<ApiAccess> access() {
        Optional<Path> file = kubeconfig.or(() -> kubectlsOwn(System.getenv(PLUGIN), System.getenv(KUBECONFIG)));
        if (file.isEmpty() && context.isPresent()) {
            throw new IllegalArgumentException(
                    "--context %s: it is one of a --kubeconfig, name that too".formatted(context.get()));
        }
        return file.map(each -> ApiAccess.of(each, context));
    }

    /** The file that kubectl reads; of several the first that is there. */
    private static Optional<Path> kubectlsOwn(
            @org.jspecify.annotations.Nullable String plugin, @org.jspecify.annotations.Nullable String files) {
        if (plugin == null || plugin.isBlank()) {
            return Optional.empty();
        }
        return Stream.concat(
                        Arrays.stream((files == null ? "" : files).split(File.pathSeparator, -1))
                                .filter(each -> !each.isBlank())
                                .map(Path::of),
                        Stream.of(Path.of(System.getProperty("user.home"), ".kube", "config")))
                .filter(Files::isRegularFile)
                .findFirst();
    }

    /**
     * The namespace that the context names, where a cluster is meant.
     *
     * @throws RunFailure where the kubeconfig cannot be used
     */
    Optional<String> namespace() {
        try {
            return access().flatMap(ApiAccess::namespace);
        } catch (IllegalArgumentException e) {
            throw new RunFailure(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Sees to it that a running {@code up} serves the cluster that is meant, where one is.
     *
     * @throws RunFailure where it serves another one
     */
    Remote of(DataOption data) {
        Remote remote = data.remote();
        try {
            access().ifPresent(access -> check(access, remote, data));
        } catch (IllegalArgumentException e) {
            throw new RunFailure(String.valueOf(e.getMessage()));
        }
        return remote;
    }

    private static void check(ApiAccess access, Remote remote, DataOption data) {
        String wanted = access.server();
        Optional<Endpoint.Cluster> served = remote.endpoint().cluster();
        if (served.filter(each -> each.server().equals(wanted)).isPresent()) {
            return;
        }
        if (served.isEmpty() || !isSame(access, DataFolder.clusterOf(data.folder()))) {
            throw new RunFailure(
                    "claimstream on %s serves %s, and not %s: name the folder of the one that does with --data"
                            .formatted(
                                    data.folder(),
                                    served.map(Endpoint.Cluster::server).orElse("a cluster in miniature"),
                                    wanted));
        }
    }

    /** One cluster may have several addresses. */
    private static boolean isSame(ApiAccess access, Optional<String> known) {
        try (var cluster = ApiCluster.open(access, ApiScope.ALL)) {
            return known.filter(cluster.id()::equals).isPresent();
        } catch (ClusterFault e) {
            throw new RunFailure("it is not known whether that is the cluster that is served: " + e.getMessage());
        }
    }
}

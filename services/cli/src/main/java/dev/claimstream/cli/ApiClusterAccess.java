package dev.claimstream.cli;

import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.kubernetes.api.ApiAccess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options that select the cluster of a command that runs with a kubeconfig or in a pod. */
final class ApiClusterAccess {
    @Option(names = "--kubeconfig", paramLabel = "FILE", description = "Kubeconfig of the cluster.")
    private Optional<Path> kubeconfig = Optional.empty();

    @Option(
            names = "--context",
            paramLabel = "NAME",
            description = "Context of the kubeconfig. Default: its current context.")
    private Optional<String> context = Optional.empty();

    @Option(
            names = "--in-cluster",
            description = "Use the cluster and the service account of this pod, instead of a kubeconfig.")
    private boolean inCluster;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private ApiClusterAccess() {}

    /**
     * Returns the access to the cluster.
     *
     * @throws ParameterException if not exactly one cluster is named
     * @throws RunFailure if the kubeconfig, or the service account of the pod, cannot be used
     */
    ApiAccess access() {
        if (inCluster == kubeconfig.isPresent() || (inCluster && context.isPresent())) {
            throw new ParameterException(
                    spec.commandLine(),
                    inCluster
                            ? "--in-cluster and a kubeconfig name two clusters: leave one out"
                            : "no cluster: name --kubeconfig, or use --in-cluster in a pod");
        }
        try {
            ApiAccess access = kubeconfig
                    .map(file -> ApiAccess.of(existing(file), context))
                    .orElseGet(ApiAccess::inCluster);
            access.check();
            return access;
        } catch (IllegalArgumentException e) {
            throw new RunFailure(String.valueOf(e.getMessage()));
        }
    }

    private static Path existing(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new RunFailure("kubeconfig %s does not exist: correct --kubeconfig".formatted(file));
        }
        return file;
    }
}

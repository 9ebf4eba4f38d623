package dev.claimstream.cli;

import dev.claimstream.cli.console.ClusterOption;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.kubernetes.api.ApiAccess;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The cluster of a command that runs either with a kubeconfig or in a pod. */
final class ApiClusterAccess {
    private ApiClusterAccess() {}

    /**
     * Returns the access to the cluster.
     *
     * @throws ParameterException if no cluster is named
     * @throws RunFailure if the kubeconfig, or the service account of the pod, cannot be used
     */
    static ApiAccess of(ClusterOption cluster, boolean inCluster, CommandSpec spec) {
        try {
            if (inCluster) {
                ApiAccess pod = ApiAccess.inCluster();
                pod.check();
                return pod;
            }
            return cluster.access()
                    .orElseThrow(() -> new ParameterException(
                            spec.commandLine(), "no cluster: name --kubeconfig, or use --in-cluster in a pod"));
        } catch (IllegalArgumentException e) {
            throw new RunFailure(String.valueOf(e.getMessage()));
        }
    }
}

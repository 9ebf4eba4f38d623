package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Applies the objects of the Helm chart to a real control plane and removes them as {@code helm uninstall} does: with
 * {@code claimstream leave} and the permissions of its Job. The pods of the services exist, on simulated nodes: no Kafka
 * runs, and no service of Claimstream.
 */
@Timeout(300)
@Tag("part-3")
class LeaveIT {
    private static final Path CHART = Path.of("..", "..", "deploy/helm/claimstream/ci/snapshots/minimal.yaml");
    private static final String STOP = "statefulset/claimstream-allocator,deployment/claimstream-writer";

    @TempDir
    private Path folder = Path.of("");

    @Test
    void schedulesGatedPodsWithRightsOfRemovalJob() throws IOException, InterruptedException {
        try (var cluster = Kubernetes.startWithoutPolicies(ControlPlaneOptions.DEFAULT.withWorkloads(), 2, 4)) {
            cluster.kubectl("", "create", "namespace", "claimstream");
            cluster.kubectl("", "apply", "-f", CHART.toString());
            Program.await(() -> isGated(cluster), "a gate at new pods");
            cluster.apply(Kubernetes.pods("gated", 3, ""));
            assertThat(cluster.states("gated")).isEqualTo(Map.of("SchedulingGated", 3));
            Program.await(
                    () -> pods(cluster, "allocator") == 2 && pods(cluster, "writer") == 2, "pods of the services");

            CommandResult left = CommandResult.run("leave", "--kubeconfig", kubeconfig(cluster), "--stop", STOP);
            assertThat(left.exitCode()).as(left.err()).isZero();
            assertThat(left.out().lines())
                    .containsExactly(
                            "binding claimstream-gate deleted",
                            "statefulset/claimstream-allocator scaled to 0, all pods have ended",
                            "deployment/claimstream-writer scaled to 0, all pods have ended",
                            "binding claimstream-single-writer deleted",
                            "gate removed from pods: 3");
            assertThat(pods(cluster, "allocator")).isZero();
            assertThat(pods(cluster, "writer")).isZero();
            assertThat(pods(cluster, "console")).isEqualTo(2);
            cluster.awaitStates("gated", Map.of("Running", 3));
            assertThat(replicas(cluster, "statefulset/claimstream-allocator")).isEqualTo("0");
            assertThat(replicas(cluster, "deployment/claimstream-writer")).isEqualTo("0");
            assertThat(replicas(cluster, "deployment/claimstream-console")).isEqualTo("2");

            CommandResult again = CommandResult.run("leave", "--kubeconfig", kubeconfig(cluster), "--stop", STOP);
            assertThat(again.exitCode()).as(again.err()).isZero();
            assertThat(again.out()).contains("binding claimstream-gate absent", "gate removed from pods: 0");

            cluster.kubectl("", "delete", "-n", "claimstream", "statefulset/claimstream-allocator");
            CommandResult mistyped = CommandResult.run("leave", "--kubeconfig", kubeconfig(cluster), "--stop", STOP);
            assertThat(mistyped.exitCode()).isEqualTo(1);
            assertThat(mistyped.err())
                    .contains("statefulset/claimstream-allocator does not exist in namespace claimstream");
            CommandResult absent = CommandResult.run(
                    "leave", "--kubeconfig", kubeconfig(cluster), "--ignore-not-found", "--stop", STOP);
            assertThat(absent.exitCode()).as(absent.err()).isZero();
            assertThat(absent.out())
                    .contains(
                            "statefulset/claimstream-allocator absent",
                            "deployment/claimstream-writer scaled to 0, all pods have ended");
        }
    }

    private static boolean isGated(Kubernetes cluster) {
        return cluster.kubectl(Kubernetes.pods("tried", 1, ""), "create", "--dry-run=server", "-o", "yaml", "-f", "-")
                .contains("claimstream.dev/allocation");
    }

    private static long pods(Kubernetes cluster, String component) {
        String label = "app.kubernetes.io/component=" + component;
        return cluster.kubectl("", "get", "pods", "-n", "claimstream", "-l", label, "-o", "name")
                .lines()
                .count();
    }

    private static String replicas(Kubernetes cluster, String workload) {
        return cluster.kubectl("", "get", workload, "-n", "claimstream", "-o", "jsonpath={.spec.replicas}");
    }

    /** A kubeconfig of the service account of the Job. */
    private String kubeconfig(Kubernetes cluster) throws IOException {
        Path file = folder.resolve("removal.kubeconfig");
        Files.copy(cluster.plane().kubeconfig(ControlPlaneUser.ADMIN), file, StandardCopyOption.REPLACE_EXISTING);
        String token = cluster.kubectl("", "create", "token", "claimstream-removal", "-n", "claimstream")
                .strip();
        String set = file.toString();
        cluster.kubectl("", "config", "set-credentials", "removal", "--token", token, "--kubeconfig", set);
        String context = cluster.kubectl("", "config", "current-context", "--kubeconfig", set)
                .strip();
        cluster.kubectl("", "config", "set-context", context, "--user", "removal", "--kubeconfig", set);
        return set;
    }
}

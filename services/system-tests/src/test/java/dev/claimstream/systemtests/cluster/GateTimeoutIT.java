package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Pods that fit no node lose their gate, as a node autoscaler needs it, and run once a node is added. */
@Timeout(300)
@Tag("part-4")
class GateTimeoutIT {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void podThatFitsNoNodeIsUnschedulableAndRunsOnANewNode() throws IOException, InterruptedException {
        try (var cluster = Kubernetes.start(1, 2);
                var up = Kubernetes.up(cluster, folder, Map.of("CLAIMSTREAM_WRITER_GATE_TIMEOUT", "2s"))) {
            cluster.apply(Kubernetes.pods("web", 4, ""));
            cluster.awaitStates("web", Map.of("Running", 2, "Pending", 2));
            assertThat(cluster.kubectl("", "get", "pods", "-n", "team", "-o", "yaml"))
                    .contains("reason: Unschedulable");
            assertThat(cluster.allocatedDevices()).hasSize(2).doesNotHaveDuplicates();

            cluster.plane().createNodes(2);
            cluster.publish(2, 2);
            cluster.awaitStates("web", Map.of("Running", 4));
            assertThat(cluster.allocatedDevices()).hasSize(4).doesNotHaveDuplicates();
            assertThat(cluster.plane()
                            .kubectl(
                                    ControlPlaneUser.ADMIN,
                                    "",
                                    "get",
                                    "resourceclaims",
                                    "-n",
                                    "team",
                                    "--show-managed-fields",
                                    "-o",
                                    "yaml"))
                    .as("Claimstream allocates all of them")
                    .doesNotContain("manager: kube-scheduler");
            assertThat(up.isAlive()).isTrue();
        }
    }
}

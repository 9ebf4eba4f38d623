package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.Program;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests a Claimstream that allocates only on the nodes of a pool, beside kube-scheduler. */
@Tag("part-2")
@Timeout(240)
class NodePoolIT {
    private static final String SELECTED = "node-0000";
    private static final String OTHER = "node-0001";

    @TempDir
    private Path folder = Path.of("");

    @Test
    void allocatesOnlyOnNodesOfPool() throws IOException, InterruptedException {
        try (var cluster = Kubernetes.start(2, 2)) {
            cluster.kubectl("", "label", "node", SELECTED, "pool=a");
            try (var up = Kubernetes.up(
                    cluster, folder, folder.resolve("data"), Map.of("CLAIMSTREAM_ALLOCATOR_NODES", "pool in (a,b)"))) {
                cluster.apply(Kubernetes.pods("many", 3, ""));
                cluster.awaitStates("many", Map.of("Running", 2, "SchedulingGated", 1));
                assertThat(cluster.allocatedDevices())
                        .hasSize(2)
                        .allMatch(device -> device.startsWith("gpu.example.com/" + SELECTED + "/"));
                Program.await(
                        () -> cluster.events("team").stream()
                                .anyMatch(event -> event.contains("only nodes with pool in (a,b) are considered")),
                        "an Event that names the nodes");

                // kube-scheduler allocates devices of a managed driver on no node, so that the two never race
                cluster.apply(UNMANAGED);
                Program.await(
                        () -> cluster.events("loose").stream()
                                .anyMatch(event -> event.startsWith("FailedScheduling")
                                        && event.contains("claimstream-single-writer")),
                        "a rejection of kube-scheduler's allocation");
                assertThat(cluster.claims("loose"))
                        .hasSize(1)
                        .allMatch(claim -> claim.allocation().isEmpty());

                cluster.kubectl("", "label", "node", OTHER, "pool=b");
                cluster.awaitStates("many", Map.of("Running", 3));
                assertThat(cluster.allocatedDevices()).hasSize(3).doesNotHaveDuplicates();
                up.interrupt();
                assertThat(up.awaitEnd()).as(up.err()).isZero();
            }
        }
    }

    /** A claim of a class that is not managed, and that selects the devices of a managed driver. */
    private static final String UNMANAGED = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: loose}
            ---
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: spare.example.com}
            spec: {selectors: [{cel: {expression: device.driver == "gpu.example.com"}}]}
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: spare, namespace: loose}
            spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: spare.example.com}}]}}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: spare, namespace: loose}
            spec:
              terminationGracePeriodSeconds: 0
              resourceClaims: [{name: gpu, resourceClaimName: spare}]
              containers: [{name: main, image: none, resources: {claims: [{name: gpu}]}}]
            """;
}

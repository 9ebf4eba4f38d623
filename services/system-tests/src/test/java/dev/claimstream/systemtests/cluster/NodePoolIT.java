package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.Program;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
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
            cluster.kubectl("", "taint", "node", SELECTED, "pool=a:NoSchedule");
            try (var up = Kubernetes.up(
                    cluster, folder, folder.resolve("data"), Map.of("CLAIMSTREAM_ALLOCATOR_NODES", "pool in (a,b)"))) {
                cluster.apply(Kubernetes.pods("many", 3, TOLERATION));
                cluster.awaitStates("many", Map.of("Running", 2, "SchedulingGated", 1));
                assertThat(cluster.allocatedDevices())
                        .hasSize(2)
                        .allMatch(device -> device.startsWith("gpu.example.com/" + SELECTED + "/"));
                Program.await(
                        () -> cluster.events("team").stream()
                                .anyMatch(event -> event.contains("only nodes with pool in (a,b) are considered")),
                        "an Event that names the nodes");

                // without pools, kube-scheduler allocates devices of a managed driver on no node
                cluster.apply(UNMANAGED);
                Program.await(
                        () -> cluster.events("loose").stream()
                                .anyMatch(event -> event.startsWith("FailedScheduling")
                                        && event.contains("claimstream-single-writer")),
                        "a rejection of kube-scheduler's allocation");
                assertThat(cluster.claims("loose"))
                        .hasSize(1)
                        .allMatch(claim -> claim.allocation().isEmpty());

                // with pools, it allocates outside of them
                cluster.configure("{\"pools\":\"other-*, %s\"}".formatted(SELECTED));
                Program.await(() -> devices(cluster).size() == 1, "an allocation by kube-scheduler");
                assertThat(devices(cluster)).allMatch(device -> device.startsWith("gpu.example.com/" + OTHER + "/"));

                cluster.kubectl(
                        "", "delete", "pods", "-n", "team", "--field-selector=status.phase=Running", "--wait=false");
                cluster.awaitStates("many", Map.of("Running", 1));
                assertThat(cluster.allocatedDevices())
                        .hasSize(1)
                        .allMatch(device -> device.startsWith("gpu.example.com/" + SELECTED + "/"));
                up.interrupt();
                assertThat(up.awaitEnd()).as(up.err()).isZero();
            }
        }
    }

    private static List<String> devices(Kubernetes cluster) {
        return cluster.claims("loose").stream()
                .flatMap(claim -> claim.allocation().stream())
                .flatMap(allocation -> allocation.results().stream())
                .map(result -> result.device().toString())
                .toList();
    }

    private static final String TOLERATION = "  tolerations: [{key: pool, operator: Exists}]\n";

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

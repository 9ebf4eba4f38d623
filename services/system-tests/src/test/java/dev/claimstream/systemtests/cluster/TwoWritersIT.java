package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Allocation;
import dev.claimstream.kubernetes.controlplane.ApiFaultProxy;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.process.SlowPoll;
import dev.claimstream.systemtests.workload.DecisionLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two writers share one decision log while pods are created, as separate processes. The active one is killed during its
 * commits. Or it is frozen until the standby has its partitions, and resumes with decisions that were committed or
 * revoked since.
 */
@Tag("part-4")
@Timeout(300)
class TwoWritersIT {
    private static final int NODES = 4;
    private static final int EACH = 24;
    private static final int PODS = 30;
    private static final int BEGUN = 4;
    private static final String FIRST = "writer-0";
    private static final List<String> NAMES = List.of("watcher-0", FIRST, "writer-1");
    private static final Map<String, Integer> RUNNING = Map.of("Running", 1);

    /** A class of devices that only the claims of this test request. */
    private static final String RARE_CLASS = "rare.example.com";

    private static final String RARE = """
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: rare.example.com}
            spec: {selectors: [{cel: {expression: device.driver == "rare.example.com"}}]}
            ---
            """;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder = Path.of("");

    @Test
    void standbyWriterReplacesKilledOrFrozenOne() throws IOException, InterruptedException {
        Path kubeconfig = folder.resolve("faults.kubeconfig");
        try (var cluster = Kubernetes.start(NODES, EACH);
                var faults = cluster.plane().startFaultProxy(ControlPlaneUser.WRITER, kubeconfig);
                var checker = cluster.plane().startChecker("--patience", "0");
                var services = new SeparateServices(cluster, folder, NAMES, Map.of(FIRST, kubeconfig))) {
            cluster.configure(
                    "{\"drivers\":\"gpu.example.com,rare.example.com\",\"classes\":\"gpu.example.com,rare.example.com\"}");
            cluster.apply(RARE + rareSlice(1, "{name: one}, {name: two}"));
            services.startAll(NAMES);
            awaitCommitting(services);

            Thread making = createPodsInBackground(cluster, "killed");
            awaitAllocated(cluster, BEGUN);
            services.kill(FIRST);
            assertThat(cluster.allocatedDevices()).as("killed in the middle").hasSizeLessThan(PODS);
            making.join();
            awaitRunning(cluster, services, "killed");
            services.start(FIRST);
            awaitCommitting(services);
            Map<String, Allocation> before = cluster.allocations();

            freeze(cluster, services, faults);
            awaitRunning(cluster, services, "frozen");
            cluster.apply(Kubernetes.claimWithPod("single", RARE_CLASS, 1));
            cluster.awaitStates("single", RUNNING);
            assertThat(cluster.allocations()).containsAllEntriesOf(before);
            before = cluster.allocations();

            making = createPodsInBackground(cluster, "waking");
            services.get(FIRST).signal("CONT");
            making.join();
            awaitRunning(cluster, services, "waking");
            awaitCommitting(services);
            assertThat(cluster.allocations()).containsAllEntriesOf(before).doesNotContainKey("pair");
            assertThat(cluster.allocatedDevices()).hasSize(3 * PODS + 1).doesNotHaveDuplicates();

            cluster.kubectl("", "delete", "pod,resourceclaim", "single", "-n", "team", "--wait=false");
            cluster.apply(rareSlice(3, "{name: one}, {name: two}"));
            cluster.awaitStates("pair", RUNNING);
            Kubernetes.assertNoFaults(checker);
            services.assertHealthy();
        }
    }

    /**
     * Freezes the active writer while pods are created. It holds uncommitted decisions, because none of its writes
     * reaches the API server: those of the pods, and an earlier one that is revoked because its device is unpublished.
     */
    private static void freeze(Kubernetes cluster, SeparateServices services, ApiFaultProxy faults)
            throws IOException, InterruptedException {
        faults.execute("lost 1");
        cluster.apply(Kubernetes.claimWithPod("pair", RARE_CLASS, 2));
        awaitUncommitted(services, 1);
        cluster.apply(rareSlice(2, "{name: one}"));
        SlowPoll.await(
                () -> isDecided(services, decision -> decision.getRevoked().isPresent()),
                () -> "a decision that is taken back; " + services.warnings());
        Thread making = createPodsInBackground(cluster, "frozen");
        awaitUncommitted(services, BEGUN);
        services.get(FIRST).signal("STOP");
        faults.execute("calm");
        making.join();
    }

    private static void awaitUncommitted(SeparateServices services, int decisions) throws InterruptedException {
        Program.await(
                () -> services.uncommittedDecisions(FIRST) >= decisions,
                "%d decisions that are not carried out".formatted(decisions));
    }

    private static boolean isDecided(SeparateServices services, Predicate<DecisionRecord> what) {
        return DecisionLog.decisions(services.bootstrap(), services.registry()).stream()
                .filter(decision -> decision.getName().equals("pair"))
                .anyMatch(what);
    }

    private static void awaitCommitting(SeparateServices services) throws InterruptedException {
        SlowPoll.await(
                () -> services.isCommitting(FIRST),
                () -> FIRST + " has partitions and nothing to try again; " + services.warnings());
    }

    private static Thread createPodsInBackground(Kubernetes cluster, String set) {
        return Thread.ofPlatform().start(() -> cluster.apply(Kubernetes.pods(set, PODS, "")));
    }

    private static void awaitAllocated(Kubernetes cluster, int devices) throws InterruptedException {
        Program.await(() -> cluster.allocatedDevices().size() >= devices, devices + " devices given");
    }

    private static void awaitRunning(Kubernetes cluster, SeparateServices services, String set)
            throws InterruptedException {
        SlowPoll.await(
                () -> cluster.states(set).equals(Map.of("Running", PODS)),
                () -> "%s: %s; %s".formatted(set, cluster.states(set), services.warnings()));
    }

    private static String rareSlice(int generation, String devices) {
        return """
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: node-0000-rare}
                spec:
                  driver: rare.example.com
                  nodeName: node-0000
                  pool: {name: rare, generation: %d, resourceSliceCount: 1}
                  devices: [%s]
                """.formatted(generation, devices);
    }
}

package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiCluster;
import dev.claimstream.kubernetes.api.ApiScope;
import dev.claimstream.kubernetes.controlplane.ControlPlaneComponent;
import dev.claimstream.kubernetes.controlplane.ControlPlaneException;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.process.SlowPoll;
import dev.claimstream.systemtests.workload.Changelogs;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that a cluster recovers while {@code up} is down, frozen, without its state, or without the right to write.
 * Each test has its own devices ({@link TestNamespace}) on the nodes of one cluster.
 */
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("part-2")
class OutagesIT {
    private static final List<String> NAMESPACES = List.of("frozen", "away", "rebuilt", "between");
    private static final Duration DOWNTIME = Duration.ofSeconds(10);
    private static final String CLEARED = "{\"allocation\":null,\"reservedFor\":null}";
    private static final String BINDING = "claimstream-binding";

    @TempDir
    private static Path folder = Path.of("");

    private Kubernetes cluster;
    private ApiCluster api;
    private Path data;
    private Program up;

    @SuppressWarnings("NullAway.Init") // start sets the fields before the first test
    OutagesIT() {}

    @BeforeAll
    void start() throws IOException {
        cluster = Kubernetes.start(ControlPlaneOptions.DEFAULT, 2, 0);
        api = ApiCluster.open(
                ApiAccess.of(cluster.plane().kubeconfig(ControlPlaneUser.ADMIN), Optional.empty()), ApiScope.ALL);
        String all = NAMESPACES.stream().map(TestNamespace::deviceClass).collect(Collectors.joining(","));
        cluster.configure("{\"drivers\":\"%1$s\",\"classes\":\"%1$s\"}".formatted(all));
        cluster.apply(TestNamespace.KUBECTL_AS_WRITER);
        data = folder.resolve("data");
        up = Kubernetes.up(cluster, folder, data);
    }

    /** A test that fails while {@code up} is down does not affect the others. */
    @BeforeEach
    void restartUpIfEnded() throws IOException {
        if (!up.isAlive()) {
            up = Kubernetes.up(cluster, folder, data);
        }
    }

    @AfterAll
    void stop() {
        up.close();
        api.close();
        cluster.close();
    }

    private TestNamespace openNamespace(String name) {
        return TestNamespace.open(cluster, api, name);
    }

    private CommandResult run(String... command) {
        return CommandResult.run(Stream.concat(Arrays.stream(command), Stream.of("--data", data.toString()))
                .toArray(String[]::new));
    }

    private static String[] names(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(each -> prefix + each).toArray(String[]::new);
    }

    private static boolean isBound(String stand) {
        return stand.startsWith("on ");
    }

    // ---- frozen

    private static ResourceClaim claim(TestNamespace namespace, String name) {
        return namespace.claims().stream()
                .filter(each -> each.meta().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static String device(ResourceClaim claim) {
        return claim.allocation().orElseThrow().results().getFirst().device().device();
    }

    private static Pod pod(TestNamespace namespace, String name) {
        return namespace.pods().stream()
                .filter(each -> each.meta().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /**
     * One claim moves to another device. Another claim is recreated under its name and gets the device that the first
     * one had. The broken watch does not report this. The next list contains only the final state, and the new holder
     * of a device before the old one.
     */
    @Test
    void detectsReallocationHiddenByBrokenWatch() throws IOException, InterruptedException {
        TestNamespace namespace = openNamespace("frozen");
        namespace.publish("node-0000", "gpu-0", "gpu-1", "gpu-2");
        namespace.createClaim("moved");
        namespace.createClaim("again");
        namespace.createPodsSharing("moved", "a");
        namespace.createPodsSharing("again", "b");
        namespace.await(2, OutagesIT::isBound);
        String ofA = device(claim(namespace, "moved"));
        String ofB = device(claim(namespace, "again"));
        String free = Stream.of(names("gpu-", 3))
                .filter(each -> !each.equals(ofA) && !each.equals(ofB))
                .findFirst()
                .orElseThrow();
        String seen = namespace.resourceVersion();
        up.signal("STOP");
        try {
            cluster.plane().restart(ControlPlaneComponent.API_SERVER); // the watch ends
            namespace.delete("b");
            namespace.kubectl("delete", "resourceclaim", "again");
            namespace.createClaim("again");
            namespace.createPodsSharing("again", "c");
            Pod user = pod(namespace, "a");
            cluster.plane().stop(ControlPlaneComponent.CONTROLLERS); // they would interfere with the next writes
            namespace.patchStatus("moved", CLEARED);
            namespace.allocate("moved", "node-0000", free, user);
            namespace.allocate("again", "node-0000", ofA, pod(namespace, "c"));
            cluster.plane().resume(ControlPlaneComponent.CONTROLLERS);
            cluster.plane().restart(ControlPlaneComponent.API_SERVER); // no watch resumes from before this
            assertThat(namespace.watchFrom(seen)).contains("too old resource version");
        } finally {
            up.signal("CONT");
        }
        String there = "on node-0000 with node-0000/";
        namespace.await(Map.of("a", there + free, "c", there + ofA));
        namespace.createPods("d");
        namespace.await(Map.of("a", there + free, "c", there + ofA, "d", there + ofB));
        namespace.createPods("e");
        namespace.awaitEvent("DevicesInUse", "pod/e");
        assertThat(namespace.devices()).containsExactly("node-0000/gpu-0", "node-0000/gpu-1", "node-0000/gpu-2");
        assertThat(up.err()).doesNotContain("has also allocated this device");
    }

    // ---- down

    @Test
    void processesChangesAfterDowntime() throws IOException, InterruptedException {
        TestNamespace namespace = openNamespace("away");
        namespace.publish("node-0000", names("gpu-", 7));
        namespace.createPods("stays-0", "stays-1", "goes-0", "goes-1", "goes-2");
        namespace.createClaim("common");
        namespace.createPodsSharing("common", "shares-0", "shares-1");
        namespace.await(7, OutagesIT::isBound);
        namespace.apply(podEndingAfter("ends", 10));
        namespace.await(8, OutagesIT::isBound);
        namespace.createPods("waits");
        namespace.awaitEvent("DevicesInUse", "pod/waits");
        namespace.apply(claimOfEight());
        namespace.createPodsSharing("eight", "patient");
        namespace.awaitEvent("InsufficientDevicesPerNode", "pod/patient");
        namespace.createPodsSharing("of-nobody", "hopeful");
        namespace.awaitEvent("ClaimMissing", "pod/hopeful");
        Map<String, String> before = namespace.podStates();
        up.kill();
        long end = System.nanoTime() + DOWNTIME.toNanos();
        up.awaitEnd();

        namespace.delete("goes-0", "goes-1", "goes-2", "waits", "shares-0", "shares-1");
        namespace.kubectl("delete", "resourceclaim", "common");
        namespace.createClaim("common");
        namespace.createPodsSharing("common", "shares-2", "shares-3");
        namespace.createPods(names("new-", 4));
        for (int i = 0; System.nanoTime() < end; i++) {
            namespace.createPods("brief-" + i);
            namespace.delete("brief-" + i);
        }
        namespace.kubectl("delete", "events", "--all"); // as they expire
        SlowPoll.await(
                () -> namespace.devices().size() == 2,
                () -> "only those that stay have devices: " + namespace.podStates());
        up = Kubernetes.up(cluster, folder, data);

        namespace.await(8, OutagesIT::isBound); // two that stayed, two that share a claim, and the four new ones
        assertThat(namespace.devices()).hasSize(7).doesNotHaveDuplicates();
        assertThat(namespace.podStates())
                .containsEntry("stays-0", before.get("stays-0"))
                .containsEntry("stays-1", before.get("stays-1"))
                .containsEntry("ends", "ended")
                .doesNotContainKeys("goes-0", "waits", "brief-0");
        SlowPoll.await(
                () -> namespace
                        .kubectl("describe", "pod", "patient")
                        .lines()
                        .anyMatch(
                                line -> line.contains("InsufficientDevicesPerNode") && line.contains("claim eight: ")),
                () -> "why it waits: " + namespace.kubectl("describe", "pod", "patient"));
        namespace.kubectl("delete", "pods", "--all", "--wait=false");
        namespace.kubectl("delete", "resourceclaim", "common", "eight");
        SlowPoll.await(() -> namespace.claims().isEmpty(), () -> "no claims, but " + namespace.claims());
        SlowPoll.await(() -> freeDevices("away") == 7, "all devices are free");
    }

    /** Returns a claim for more devices than there are. */
    private static String claimOfEight() {
        return """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: eight}
                spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: %s, count: 8}}]}}
                """.formatted(TestNamespace.deviceClass("away"));
    }

    /** Returns a pod that ends this many seconds after its start. */
    private static String podEndingAfter(String name, int seconds) {
        return TestNamespace.pod(name, TestNamespace.TEMPLATE_CLAIM, "  restartPolicy: Never\n")
                .replace(
                        "{name: %s}".formatted(name),
                        "{name: %s, annotations: {testbed.claimstream.dev/runs-seconds: \"%d\"}}"
                                .formatted(name, seconds));
    }

    private long freeDevices(String yard) {
        return run("get", "devices", "--free", "-o", "name")
                .out()
                .lines()
                .filter(each -> each.contains(TestNamespace.deviceClass(yard)))
                .count();
    }

    // ---- without state

    @Test
    void rebuildsLostState() throws IOException, InterruptedException, ExecutionException {
        TestNamespace namespace = openNamespace("rebuilt");
        namespace.publish("node-0000", names("gpu-", 3));
        namespace.createPods("a", "b", "c");
        namespace.await(3, OutagesIT::isBound);
        namespace.createPods("waits");
        namespace.awaitEvent("DevicesInUse", "pod/waits");
        List<ResourceClaim> before = claimsWithPrefix(namespace, "b-", "c-");
        up.interrupt();
        assertThat(up.awaitEnd()).isZero();
        Changelogs.delete(data, 1);
        namespace.delete("a");
        namespace.createPods("late");

        CommandResult refused = Program.run(folder, cluster.command(data));
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.errLines()).singleElement().asString().endsWith("start it once with --rebuild");
        up = Kubernetes.up(cluster, folder, data, "--rebuild");
        namespace.await(3, OutagesIT::isBound);
        assertThat(claimsWithPrefix(namespace, "b-", "c-")).isEqualTo(before);
        assertThat(namespace.podStates()).containsEntry("late", "gated");
        assertThat(namespace.devices()).hasSize(3).doesNotHaveDuplicates();
    }

    private static List<ResourceClaim> claimsWithPrefix(TestNamespace namespace, String... prefixes) {
        return namespace.claims().stream()
                .filter(each -> Arrays.stream(prefixes).anyMatch(each.meta().name()::startsWith))
                .toList();
    }

    // ---- without the right to write

    /** The missing right keeps decisions uncommitted for as long as the test needs. */
    @Test
    void deallocatesClaimDeletedBeforeItsCommit() throws InterruptedException {
        TestNamespace namespace = openNamespace("between");
        namespace.publish("node-0000", "gpu-0");
        String granted = cluster.kubectl("", "get", "clusterrolebinding", BINDING, "-o", "json");
        cluster.kubectl("", "delete", "clusterrolebinding", BINDING);
        try {
            SlowPoll.await(() -> !mayBind(), "the right is gone");
            namespace.createPods("a");
            awaitAllocated(namespace, "a-gpu-");
            namespace.delete("a");
            SlowPoll.await(() -> namespace.claims().isEmpty(), "the claim is gone");

            namespace.createClaim("named");
            namespace.createPodsSharing("named", "b");
            awaitAllocated(namespace, "named");
            namespace.kubectl("delete", "resourceclaim", "named");
            namespace.createPods("first");
            awaitAllocated(namespace, "first-gpu-");
            namespace.createClaim("named"); // another object of the same name
            namespace.delete("first");
            awaitAllocated(namespace, "named");
            namespace.kubectl("patch", "resourceclaim", "named", "--type=json", "-p", """
                    [{"op":"add","path":"/metadata/finalizers/-","value":"example.com/hold"}]""");
            namespace.kubectl("delete", "resourceclaim", "named", "--wait=false");
            namespace.createPods("last");
            awaitAllocated(namespace, "last-gpu-");
            assertThat(namespace.devices()).isEmpty();
        } finally {
            cluster.kubectl(granted, "create", "-f", "-");
        }
        namespace.await(Map.of("b", "gated", "last", "on node-0000 with node-0000/gpu-0"));
        assertThat(namespace.devices()).containsExactly("node-0000/gpu-0");
        assertThat(claim(namespace, "named").allocation()).isEmpty();
    }

    private boolean mayBind() {
        try {
            return cluster.plane()
                    .kubectl(
                            ControlPlaneUser.WRITER,
                            "",
                            "auth",
                            "can-i",
                            "patch",
                            "resourceclaims.resource.k8s.io",
                            "--subresource=binding",
                            "-A")
                    .startsWith("yes");
        } catch (ControlPlaneException e) {
            return false; // kubectl answers no with its exit code
        }
    }

    private void awaitAllocated(TestNamespace namespace, String claim) throws InterruptedException {
        SlowPoll.await(
                () -> isAllocated(namespace, claim),
                () -> "%s is allocated: %s"
                        .formatted(claim, run("get", "claims", "-A").out()));
    }

    private boolean isAllocated(TestNamespace namespace, String claim) {
        return run("get", "claims", "-n", namespace.name())
                .out()
                .lines()
                .anyMatch(line -> line.startsWith(claim) && line.contains("allocated"));
    }
}

package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Pod;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiCluster;
import dev.claimstream.kubernetes.api.ApiScope;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import dev.claimstream.systemtests.process.Program;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that a claim is reallocated if its only pod cannot run at the claim's node. kube-scheduler does the same for
 * ungated pods.
 */
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DeallocationIT {
    private static final List<String> NAMESPACES =
            List.of("selects", "cordons", "taints", "no-node", "no-slice", "contradicts", "in-use", "reserved");

    /** A driver that the ConfigMap does not name. */
    private static final String UNMANAGED = "unmanaged";

    private static final String CLAIM = "{name: gpu, resourceClaimName: one}";
    private static final Duration SOON = Duration.ofSeconds(10);

    @TempDir
    private static Path folder = Path.of("");

    private Kubernetes cluster;
    private ApiCluster api;
    private Program up;

    @SuppressWarnings("NullAway.Init") // start sets the fields before the first test
    DeallocationIT() {}

    @BeforeAll
    void start() throws IOException {
        cluster = Kubernetes.start(ControlPlaneOptions.DEFAULT, 3, 0);
        api = ApiCluster.open(
                ApiAccess.of(cluster.plane().kubeconfig(ControlPlaneUser.ADMIN), Optional.empty()), ApiScope.ALL);
        cluster.apply(TestNamespace.KUBECTL_AS_WRITER);
        String all = NAMESPACES.stream().map(TestNamespace::deviceClass).collect(Collectors.joining(","));
        cluster.configure("{\"drivers\":\"%1$s\",\"classes\":\"%1$s\"}".formatted(all));
        for (int node = 0; node < 3; node++) {
            cluster.kubectl("", "label", "node", node(node), "kubernetes.io/hostname=" + node(node), "--overwrite");
        }
        up = Kubernetes.up(cluster, folder, folder.resolve("data"));
    }

    @AfterAll
    void stop() {
        up.close();
        api.close();
        cluster.close();
    }

    private static String node(int number) {
        return "node-%04d".formatted(number);
    }

    private static String boundTo(int node) {
        return "on %1$s with %1$s/gpu-0".formatted(node(node));
    }

    private static String pod(String name, String more) {
        return TestNamespace.pod(name, CLAIM, more);
    }

    private static String onlyOnNode(int node) {
        return "  nodeSelector: {kubernetes.io/hostname: %s}\n".formatted(node(node));
    }

    /**
     * Opens a namespace with an allocated claim. The claim is allocated before devices are published, so that {@code
     * up} does not allocate it first.
     */
    private TestNamespace openNamespace(String name, String allocated) {
        TestNamespace namespace = TestNamespace.open(cluster, api, name);
        namespace.createClaim("one");
        namespace.allocate("one", allocated, "gpu-0");
        namespace.publish(node(0), "gpu-0");
        namespace.publish(node(1), "gpu-0");
        return namespace;
    }

    /** Asserts that a pod is bound to its device soon, and prints the time from {@code kubectl apply} to bound. */
    private static void assertPodRuns(TestNamespace namespace, String manifest, Map<String, String> states)
            throws InterruptedException {
        long began = System.nanoTime();
        namespace.apply(manifest);
        namespace.await(states);
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        System.out.printf("%s: %d ms from kubectl apply to bound%n", namespace.name(), took.toMillis());
        assertThat(took).isLessThan(SOON);
    }

    @Test
    @Tag("part-0")
    void reallocatesForNodeSelector() throws InterruptedException {
        TestNamespace namespace = openNamespace("selects", node(0));
        assertPodRuns(namespace, pod("p", onlyOnNode(1)), Map.of("p", boundTo(1)));
        namespace.awaitDevices(node(1) + "/gpu-0");
        assertThat(namespace.pods().getFirst().meta().annotations())
                .doesNotContainKey(ClaimStatusClient.DEALLOCATION_ANNOTATION);
        assertThat(cluster.hasEvent("NodeRejected", node(0))).isFalse();
    }

    @Test
    @Tag("part-1")
    void reallocatesFromCordonedNode() throws InterruptedException {
        TestNamespace namespace = openNamespace("cordons", node(0));
        cluster.kubectl("", "cordon", node(0));
        try {
            assertPodRuns(namespace, pod("p", ""), Map.of("p", boundTo(1)));
        } finally {
            cluster.kubectl("", "uncordon", node(0));
        }
    }

    @Test
    @Tag("part-1")
    void reallocatesFromTaintedNode() throws InterruptedException {
        TestNamespace namespace = openNamespace("taints", node(0));
        cluster.kubectl("", "taint", "node", node(0), "maintenance=now:NoSchedule");
        try {
            assertPodRuns(namespace, pod("p", ""), Map.of("p", boundTo(1)));
        } finally {
            cluster.kubectl("", "taint", "node", node(0), "maintenance-");
        }
    }

    @Test
    @Tag("part-2")
    void reallocatesFromDeletedNode() throws InterruptedException {
        TestNamespace namespace = openNamespace("no-node", "node-9999");
        assertPodRuns(namespace, pod("p", onlyOnNode(0)), Map.of("p", boundTo(0)));
    }

    @Test
    @Tag("part-2")
    void reallocatesFromDeletedSlice() throws InterruptedException {
        TestNamespace namespace = openNamespace("no-slice", node(0));
        cluster.kubectl("", "delete", "resourceslice", node(0) + "-no-slice");
        assertPodRuns(namespace, pod("p", ""), Map.of("p", boundTo(1)));
    }

    /** A writer that ends between its two writes leaves this state. */
    @Test
    @Tag("part-0")
    void reallocatesClaimReservedForItsOwnPod() throws InterruptedException {
        TestNamespace namespace = TestNamespace.open(cluster, api, "reserved");
        namespace.createClaim("one");
        namespace.apply(pod("p", onlyOnNode(1)));
        namespace.await(Map.of("p", "gated"));
        namespace.allocate("one", node(0), "gpu-0", namespace.pods().getFirst());
        namespace.publish(node(0), "gpu-0");
        long began = System.nanoTime();
        namespace.publish(node(1), "gpu-0");
        namespace.await(Map.of("p", boundTo(1)));
        System.out.printf(
                "reserved: %d ms from kubectl apply of a slice to bound%n",
                Duration.ofNanos(System.nanoTime() - began).toMillis());
    }

    @Test
    @Tag("part-3")
    void runsOneOfTwoConflictingPods() throws InterruptedException {
        TestNamespace namespace = openNamespace("contradicts", "node-9999");
        namespace.apply(pod("a", onlyOnNode(0)) + pod("b", onlyOnNode(1)));
        List<String> running = namespace.await(1, stand -> stand.startsWith("on "));
        String gated = namespace.await(1, "gated"::equals).getFirst();
        namespace.awaitEvent("NoUsableNode", "pod/" + gated); // the reason has not changed for the delay of an Event
        assertThat(namespace.podStates())
                .containsEntry(gated, "gated")
                .hasEntrySatisfying(
                        running.getFirst(), state -> assertThat(state).startsWith("on "));
    }

    @Test
    @Tag("part-4")
    void keepsClaimInUseByAnotherPod() throws InterruptedException {
        TestNamespace namespace = openNamespace("in-use", node(0));
        namespace.apply(pod("user", ""));
        namespace.await(Map.of("user", boundTo(0)));
        namespace.apply(pod("other", onlyOnNode(1)));
        namespace.awaitEvent("NoUsableNode", "pod/other");
        assertThat(namespace.podStates()).containsEntry("user", boundTo(0)).containsEntry("other", "gated");
    }

    /** The writer removes the gate of the pod, and kube-scheduler deallocates the claim. */
    @Test
    @Tag("part-3")
    void leavesUnmanagedClaimsToKubeScheduler() throws InterruptedException {
        TestNamespace namespace = TestNamespace.open(cluster, api, UNMANAGED);
        namespace.createClaim("one");
        String version = namespace.resourceVersion();
        namespace.allocate("one", node(0), "gpu-0");
        namespace.publish(node(0), "gpu-0");
        namespace.publish(node(1), "gpu-0");
        namespace.apply(pod("p", onlyOnNode(1)));
        namespace.await(1, stand -> stand.startsWith("on " + node(1)));
        assertThat(namespace.watchFrom(version)).doesNotContain("claimstream.dev/deallocation");
        assertThat(namespace.pods()).noneMatch(Pod::isGated);
    }
}

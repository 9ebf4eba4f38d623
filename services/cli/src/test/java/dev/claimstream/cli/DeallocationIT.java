package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Pod;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiCluster;
import dev.claimstream.kubernetes.api.ApiScope;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
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
    private static final List<String> YARDS =
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
        cluster.apply(Yard.AS_THE_WRITER);
        String all = YARDS.stream().map(Yard::deviceClass).collect(Collectors.joining(","));
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

    private static String on(int node) {
        return "on %1$s with %1$s/gpu-0".formatted(node(node));
    }

    private static String pod(String name, String more) {
        return Yard.pod(name, CLAIM, more);
    }

    private static String only(int node) {
        return "  nodeSelector: {kubernetes.io/hostname: %s}\n".formatted(node(node));
    }

    /**
     * Opens a namespace with an allocated claim. The claim is allocated before devices are published, so that {@code
     * up} does not allocate it first.
     */
    private Yard yard(String name, String allocated) {
        Yard yard = Yard.open(cluster, api, name);
        yard.claim("one");
        yard.allocate("one", allocated, "gpu-0");
        yard.publish(node(0), "gpu-0");
        yard.publish(node(1), "gpu-0");
        return yard;
    }

    /** Asserts that a pod is bound to its device soon, and prints the time from {@code kubectl apply} to bound. */
    private static void assertRuns(Yard yard, String manifest, Map<String, String> stands) throws InterruptedException {
        long began = System.nanoTime();
        yard.apply(manifest);
        yard.await(stands);
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        System.out.printf("%s: %d ms from kubectl apply to bound%n", yard.name(), took.toMillis());
        assertThat(took).isLessThan(SOON);
    }

    @Test
    void reallocatesForANodeSelector() throws InterruptedException {
        Yard yard = yard("selects", node(0));
        assertRuns(yard, pod("p", only(1)), Map.of("p", on(1)));
        yard.awaitDevices(node(1) + "/gpu-0");
        assertThat(yard.pods().getFirst().meta().annotations())
                .doesNotContainKey(ClaimStatusClient.DEALLOCATION_ANNOTATION);
        assertThat(cluster.isNoted("NodeRefused", node(0))).isFalse();
    }

    @Test
    void reallocatesFromACordonedNode() throws InterruptedException {
        Yard yard = yard("cordons", node(0));
        cluster.kubectl("", "cordon", node(0));
        try {
            assertRuns(yard, pod("p", ""), Map.of("p", on(1)));
        } finally {
            cluster.kubectl("", "uncordon", node(0));
        }
    }

    @Test
    void reallocatesFromATaintedNode() throws InterruptedException {
        Yard yard = yard("taints", node(0));
        cluster.kubectl("", "taint", "node", node(0), "maintenance=now:NoSchedule");
        try {
            assertRuns(yard, pod("p", ""), Map.of("p", on(1)));
        } finally {
            cluster.kubectl("", "taint", "node", node(0), "maintenance-");
        }
    }

    @Test
    void reallocatesFromANodeThatIsGone() throws InterruptedException {
        Yard yard = yard("no-node", "node-9999");
        assertRuns(yard, pod("p", only(0)), Map.of("p", on(0)));
    }

    @Test
    void reallocatesFromADeletedSlice() throws InterruptedException {
        Yard yard = yard("no-slice", node(0));
        cluster.kubectl("", "delete", "resourceslice", node(0) + "-no-slice");
        assertRuns(yard, pod("p", ""), Map.of("p", on(1)));
    }

    /** A writer that ends between its two writes leaves this state. */
    @Test
    void reallocatesWhatIsReservedForThePodItself() throws InterruptedException {
        Yard yard = Yard.open(cluster, api, "reserved");
        yard.claim("one");
        yard.apply(pod("p", only(1)));
        yard.await(Map.of("p", "gated"));
        yard.allocate("one", node(0), "gpu-0", yard.pods().getFirst());
        yard.publish(node(0), "gpu-0");
        long began = System.nanoTime();
        yard.publish(node(1), "gpu-0");
        yard.await(Map.of("p", on(1)));
        System.out.printf(
                "reserved: %d ms from kubectl apply of a slice to bound%n",
                Duration.ofNanos(System.nanoTime() - began).toMillis());
    }

    @Test
    void oneOfTwoPodsThatContradictEachOtherRuns() throws InterruptedException {
        Yard yard = yard("contradicts", "node-9999");
        yard.apply(pod("a", only(0)) + pod("b", only(1)));
        List<String> running = yard.await(1, stand -> stand.startsWith("on "));
        Thread.sleep(Duration.ofSeconds(3));
        assertThat(yard.await(1, stand -> stand.startsWith("on "))).isEqualTo(running);
        assertThat(yard.await(1, "gated"::equals)).hasSize(1).doesNotContainAnyElementsOf(running);
    }

    @Test
    void leavesAClaimToThePodThatUsesIt() throws InterruptedException {
        Yard yard = yard("in-use", node(0));
        yard.apply(pod("user", ""));
        yard.await(Map.of("user", on(0)));
        yard.apply(pod("other", only(1)));
        yard.awaitEvent("NoUsableNode", "pod/other");
        assertThat(yard.stands()).containsEntry("user", on(0)).containsEntry("other", "gated");
    }

    /** The writer removes the gate of the pod, and kube-scheduler deallocates the claim. */
    @Test
    void leavesClaimsOfOtherDriversToKubeScheduler() throws InterruptedException {
        Yard yard = Yard.open(cluster, api, UNMANAGED);
        yard.claim("one");
        String version = yard.version();
        yard.allocate("one", node(0), "gpu-0");
        yard.publish(node(0), "gpu-0");
        yard.publish(node(1), "gpu-0");
        yard.apply(pod("p", only(1)));
        yard.await(1, stand -> stand.startsWith("on " + node(1)));
        assertThat(yard.watchFrom(version)).doesNotContain("claimstream.dev/deallocation");
        assertThat(yard.pods()).noneMatch(Pod::isGated);
    }
}

package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Pod;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiCluster;
import dev.claimstream.kubernetes.api.ApiScope;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.process.SlowPoll;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that Claimstream allocates only on nodes that kube-scheduler accepts, for every filter that Claimstream
 * evaluates. Each test has its own devices on four nodes in two zones; node-0000 and node-0001 are in zone a.
 */
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NodeChoiceIT {
    private static final List<String> NAMESPACES = List.of(
            "apart",
            "refusing",
            "near",
            "together",
            "spread",
            "ports",
            "selecting",
            "tainted",
            "full-cpu",
            "full-memory",
            "volumes",
            "things",
            "many");

    @TempDir
    private static Path folder = Path.of("");

    private Kubernetes cluster;
    private ApiCluster api;
    private Path data;
    private Program up;

    @SuppressWarnings("NullAway.Init") // start sets the fields before the first test
    NodeChoiceIT() {}

    @BeforeAll
    void start() throws IOException {
        cluster = Kubernetes.start(ControlPlaneOptions.DEFAULT, 4, 0);
        api = ApiCluster.open(
                ApiAccess.of(cluster.plane().kubeconfig(ControlPlaneUser.ADMIN), Optional.empty()), ApiScope.ALL);
        String all = NAMESPACES.stream().map(TestNamespace::deviceClass).collect(Collectors.joining(","));
        cluster.configure("{\"drivers\":\"%1$s\",\"classes\":\"%1$s\"}".formatted(all));
        for (int node = 0; node < 4; node++) {
            String zone = "zone=" + (node < 2 ? "a" : "b");
            cluster.kubectl(
                    "", "label", "node", node(node), zone, "kubernetes.io/hostname=" + node(node), "--overwrite");
        }
        data = folder.resolve("data");
        up = Kubernetes.up(cluster, folder, data);
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

    /** Opens a namespace with two devices on every node. */
    private TestNamespace openNamespace(String name) {
        TestNamespace namespace = TestNamespace.open(cluster, api, name);
        for (int node = 0; node < 4; node++) {
            namespace.publish(node(node), "gpu-0", "gpu-1");
        }
        return namespace;
    }

    private static String pod(String name, String app, String spec) {
        return TestNamespace.pod(name, TestNamespace.TEMPLATE_CLAIM, spec)
                .replace("metadata: {name: " + name + "}", """
                metadata: {name: %s, labels: {app: %s}}""".formatted(name, app));
    }

    private static String pods(int count, String app, String spec) {
        return IntStream.range(0, count)
                .mapToObj(each -> pod("%s-%d".formatted(app, each), app, spec))
                .collect(Collectors.joining());
    }

    private static String affinity(String kind, String app, String topologyKey) {
        return """
                  affinity:
                    %s:
                      requiredDuringSchedulingIgnoredDuringExecution:
                      - {topologyKey: %s, labelSelector: {matchLabels: {app: %s}}}
                """.formatted(kind, topologyKey, app).indent(0);
    }

    /**
     * Waits until this many pods are bound and returns the nodes of the pods of an app. Asserts that kube-scheduler
     * rejected no node.
     */
    private static List<String> awaitNodes(TestNamespace namespace, String app, int bound) throws InterruptedException {
        namespace.await(bound, stand -> stand.startsWith("on "));
        assertNoNodeRejected(namespace);
        return namespace.pods().stream()
                .filter(pod -> app.equals(pod.meta().labels().get("app")))
                .flatMap(pod -> pod.nodeName().stream())
                .sorted()
                .toList();
    }

    /**
     * kube-scheduler may observe the removed gate before the allocation and then search by itself; that is no
     * rejection.
     */
    private static void assertNoNodeRejected(TestNamespace namespace) {
        assertThat(namespace.kubectl("get", "events")).doesNotContain("node(s)", "Insufficient");
    }

    @Test
    @Tag("part-3")
    void placesAntiAffinePodsOnDifferentNodes() throws InterruptedException {
        TestNamespace namespace = openNamespace("apart");
        namespace.apply(pods(5, "x", affinity("podAntiAffinity", "x", "kubernetes.io/hostname")));
        assertThat(awaitNodes(namespace, "x", 4)).containsExactly(node(0), node(1), node(2), node(3));
        namespace.awaitEvent("InterPodConstraints", "only nodes that other pods exclude have what it needs");
        List<String> waiting = namespace.await(1, "gated"::equals);
        String served = namespace.pods().stream()
                .map(pod -> pod.meta().name())
                .filter(name -> !waiting.contains(name))
                .findFirst()
                .orElseThrow();
        namespace.delete(served);
        namespace.await(0, "gated"::equals);
        assertThat(awaitNodes(namespace, "x", 4)).containsExactly(node(0), node(1), node(2), node(3));
    }

    @Test
    @Tag("part-0")
    void respectsAntiAffinityOfRunningPod() throws InterruptedException {
        TestNamespace namespace = openNamespace("refusing");
        namespace.apply("""
                apiVersion: v1
                kind: Pod
                metadata: {name: guard, labels: {app: guard}}
                spec:
                  nodeName: %s
                  containers: [{name: main, image: none}]
                %s""".formatted(node(1), affinity("podAntiAffinity", "kept-off", "zone")));
        namespace.await(1, ("on " + node(1))::equals);
        namespace.apply(pods(3, "kept-off", ""));
        assertThat(awaitNodes(namespace, "kept-off", 4)).hasSize(3).isSubsetOf(node(2), node(3));
    }

    @Test
    @Tag("part-1")
    void placesPodsInZoneOfAffinityTarget() throws InterruptedException {
        TestNamespace namespace = openNamespace("near");
        namespace.apply(pods(2, "client", affinity("podAffinity", "server", "zone")));
        namespace.awaitEvent("InterPodConstraints", "no pod that this pod requires is in zone=");
        namespace.apply(pod("server", "server", "  nodeSelector: {kubernetes.io/hostname: %s}\n".formatted(node(3))));
        assertThat(awaitNodes(namespace, "client", 3)).hasSize(2).isSubsetOf(node(2), node(3));
    }

    @Test
    @Tag("part-2")
    void placesMutuallyAffinePodsInOneZone() throws InterruptedException {
        TestNamespace namespace = openNamespace("together");
        namespace.apply(pods(3, "friend", affinity("podAffinity", "friend", "zone")));
        List<String> zones = awaitNodes(namespace, "friend", 3).stream()
                .map(each -> each.compareTo(node(2)) < 0 ? "a" : "b")
                .distinct()
                .toList();
        assertThat(zones).hasSize(1);
    }

    @Test
    @Tag("part-3")
    void respectsTopologySpreadConstraints() throws InterruptedException {
        TestNamespace namespace = openNamespace("spread");
        namespace.apply(pods(6, "s", """
                  topologySpreadConstraints:
                  - {topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: s}}}
                  - {topologyKey: kubernetes.io/hostname, maxSkew: 1, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: s}}}
                """.indent(0)));
        List<String> nodes = awaitNodes(namespace, "s", 6);
        assertThat(nodes.stream().filter(each -> each.compareTo(node(2)) < 0)).hasSize(3);
        assertThat(nodes).containsOnly(node(0), node(1), node(2), node(3));
    }

    @Test
    @Tag("part-4")
    void assignsHostPortOncePerNode() throws InterruptedException {
        TestNamespace namespace = openNamespace("ports");
        namespace.apply(
                pods(4, "p", "").replace("image: none", "image: none, ports: [{containerPort: 80, hostPort: 8080}]"));
        assertThat(awaitNodes(namespace, "p", 4)).containsExactly(node(0), node(1), node(2), node(3));
    }

    @Test
    @Tag("part-0")
    void respectsNodeSelectorAndNodeAffinity() throws InterruptedException {
        TestNamespace namespace = openNamespace("selecting");
        namespace.apply(pods(2, "zone", "  nodeSelector: {zone: b}\n"));
        namespace.apply(pods(2, "node", """
                  affinity:
                    nodeAffinity:
                      requiredDuringSchedulingIgnoredDuringExecution:
                        nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [%s]}]}]
                """.formatted(node(1)).indent(0)));
        assertThat(awaitNodes(namespace, "zone", 4)).hasSize(2).isSubsetOf(node(2), node(3));
        assertThat(awaitNodes(namespace, "node", 4)).containsExactly(node(1), node(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "memory"})
    @Tag("part-0")
    void skipsNodeWithoutRequestedResource(String resource) throws InterruptedException {
        TestNamespace namespace = openNamespace("full-" + resource);
        String all = cluster.kubectl(
                "", "get", "node", node(0), "-o", "jsonpath={.status.allocatable.%s}".formatted(resource));
        String unit = all.replaceAll("[0-9]", "");
        long half = Long.parseLong(all.substring(0, all.length() - unit.length())) / 2;
        namespace.apply(pods(4, "c", "")
                .replace(
                        "image: none",
                        "image: none, resources: {requests: {%s: %d%s}}".formatted(resource, half + 1, unit)));
        assertThat(awaitNodes(namespace, "c", 4)).containsExactly(node(0), node(1), node(2), node(3));
        namespace.kubectl("delete", "pod", "--all", "--wait=false");
    }

    /** Sets the allocatable amount of a resource of a node. */
    private void setAllocatable(String node, String resource, long count) {
        cluster.kubectl(
                "",
                "patch",
                "node",
                node,
                "--subresource=status",
                "-p",
                "{\"status\":{\"capacity\":{\"%1$s\":\"%2$d\"},\"allocatable\":{\"%1$s\":\"%2$d\"}}}"
                        .formatted(resource, count));
    }

    /**
     * Uses an extended resource without a DRA driver. One node has two, of which a pod without devices uses one;
     * another node has one.
     */
    @Test
    @Tag("part-1")
    void skipsNodeWithoutExtendedResource() throws InterruptedException {
        String thing = "vendor.example.com/thing";
        setAllocatable(node(0), thing, 2);
        setAllocatable(node(1), thing, 1);
        TestNamespace namespace = openNamespace("things");
        String asks = "image: none, resources: {limits: {%s: 1}}".formatted(thing);
        namespace.apply("""
                apiVersion: v1
                kind: Pod
                metadata: {name: user, labels: {app: user}}
                spec:
                  terminationGracePeriodSeconds: 0
                  nodeSelector: {kubernetes.io/hostname: %s}
                  containers: [{name: main, %s}]
                """.formatted(node(0), asks));
        namespace.await(1, ("on " + node(0))::equals);
        namespace.apply(pods(3, "t", "").replace("image: none", asks));
        assertThat(awaitNodes(namespace, "t", 3)).containsExactly(node(0), node(1));
        namespace.awaitEvent("NodeFull", thing);
        namespace.delete("user");
        namespace.await(0, "gated"::equals);
        assertThat(awaitNodes(namespace, "t", 3)).containsExactly(node(0), node(0), node(1));
    }

    @Test
    @Tag("part-2")
    void respectsPodLimitOfNode() throws InterruptedException {
        TestNamespace namespace = TestNamespace.open(cluster, api, "many");
        namespace.publish(node(3), "gpu-0", "gpu-1", "gpu-2");
        String there = "spec.nodeName=" + node(3);
        SlowPoll.await(
                () -> cluster.kubectl("", "get", "pods", "-A", "-o", "yaml", "--field-selector", there)
                        .lines()
                        .noneMatch(line -> line.contains("deletionTimestamp")),
                "pods of other tests that go");
        long before = cluster.kubectl("", "get", "pods", "-A", "--no-headers", "--field-selector", there)
                .lines()
                .filter(line -> !line.isBlank())
                .count();
        setAllocatable(node(3), "pods", before + 2);
        try {
            namespace.apply(pods(3, "m", ""));
            assertThat(awaitNodes(namespace, "m", 2)).containsExactly(node(3), node(3));
            namespace.awaitEvent("NodeFull", "pods");
            List<String> waiting = namespace.await(1, "gated"::equals);
            namespace.delete(waiting.contains("m-0") ? "m-1" : "m-0");
            namespace.await(0, "gated"::equals);
            assertThat(awaitNodes(namespace, "m", 2)).containsExactly(node(3), node(3));
        } finally {
            setAllocatable(node(3), "pods", 110);
        }
    }

    /**
     * Claimstream does not evaluate volumes, so kube-scheduler rejects the node. The node is tried again after half a
     * minute.
     */
    @Test
    @Tag("part-4")
    void reallocatesAfterKubeSchedulerRejectsNode() throws InterruptedException {
        TestNamespace namespace = TestNamespace.open(cluster, api, "volumes");
        namespace.publish(node(0), "gpu-0");
        namespace.apply("""
                apiVersion: v1
                kind: PersistentVolume
                metadata: {name: data}
                spec:
                  capacity: {storage: 1Gi}
                  accessModes: [ReadWriteOnce]
                  local: {path: /data}
                  storageClassName: local
                  claimRef: {namespace: volumes, name: data}
                  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [b]}]}]}}
                ---
                apiVersion: v1
                kind: PersistentVolumeClaim
                metadata: {name: data, annotations: {pv.kubernetes.io/bind-completed: "yes"}}
                spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: local, volumeName: data}
                """);
        namespace.apply(pod("p", "p", "  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\n"));
        namespace.awaitEvent("FailedScheduling", "PersistentVolume");
        namespace.awaitEvent("NodeRejected", node(0));
        namespace.publish(node(3), "gpu-0");
        namespace.await(Map.of("p", "on %1$s with %1$s/gpu-0".formatted(node(3))));
        namespace.awaitDevices(node(3) + "/gpu-0");
        assertThat(CommandResult.run("explain", "pod", "volumes/p", "--data", data.toString())
                        .out())
                .contains("not evaluated: the pod's volumes");
    }

    @Test
    @Tag("part-3")
    void skipsCordonedAndTaintedNodes() throws InterruptedException {
        String withItsDevice = "on %1$s with %1$s/gpu-0".formatted(node(2));
        TestNamespace namespace = TestNamespace.open(cluster, api, "tainted");
        namespace.publish(node(2), "gpu-0");
        cluster.kubectl("", "taint", "node", node(2), "maintenance=now:NoSchedule");
        try {
            namespace.apply(pod("plain", "plain", ""));
            namespace.awaitEvent("NoUsableNode", "pod/plain");
            Pod plain = namespace.pods().getFirst();
            assertThat(plain.isGated()).isTrue();
            namespace.delete("plain");
            namespace.apply(pod("tolerant", "tolerant", "  tolerations: [{key: maintenance, operator: Exists}]\n"));
            namespace.await(1, withItsDevice::equals);
            namespace.delete("tolerant");
        } finally {
            cluster.kubectl("", "taint", "node", node(2), "maintenance-");
        }
        namespace.await(Map.of());
        cluster.kubectl("", "cordon", node(2));
        try {
            namespace.apply(pod("later", "later", ""));
            namespace.awaitEvent("NoUsableNode", "pod/later");
        } finally {
            cluster.kubectl("", "uncordon", node(2));
        }
        namespace.await(1, withItsDevice::equals);
        assertNoNodeRejected(namespace);
    }
}

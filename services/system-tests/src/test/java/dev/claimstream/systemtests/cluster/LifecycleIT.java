package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiCluster;
import dev.claimstream.kubernetes.api.ApiScope;
import dev.claimstream.kubernetes.controlplane.ControlPlaneComponent;
import dev.claimstream.kubernetes.controlplane.ControlPlaneException;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions.Gates;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.process.SlowPoll;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
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
 * Tests the life cycle of claims and pods beside kube-scheduler and the Kubernetes controllers, with every DRA gate on.
 * Each test has its own devices ({@link TestNamespace}) on the nodes of one cluster, which is served all the time.
 */
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LifecycleIT {
    private static final String[] FEATURES = {"--features", "DRAWorkloadResourceClaims=true,DRADeviceTaintRules=true"};

    /** No node is reserved for an item that stays pending: all tests share the nodes. */
    private static final Map<String, String> NO_NODE_RESERVATION =
            Map.of("CLAIMSTREAM_ALLOCATOR_OVERTAKEN_MAX", "100000");

    private static final List<String> NAMESPACES = List.of(
            "group",
            "gang",
            "mixed",
            "shared",
            "gated",
            "flight",
            "forced",
            "kept",
            "jobs",
            "foreign",
            "tainted",
            "ruled",
            "withdrawn",
            "down",
            "killed",
            "cleared",
            "lost",
            "relisted",
            "unused",
            "grouped",
            "opaque");

    @TempDir
    private static Path folder = Path.of("");

    private Kubernetes cluster;
    private ApiCluster api;
    private Path data;
    private Program up;

    @SuppressWarnings("NullAway.Init") // start sets the fields before the first test
    LifecycleIT() {}

    @BeforeAll
    void start() throws IOException {
        cluster = Kubernetes.start(ControlPlaneOptions.DEFAULT.with(Gates.ALL).withWorkloads(), 3, 0);
        api = ApiCluster.open(
                ApiAccess.of(cluster.plane().kubeconfig(ControlPlaneUser.ADMIN), Optional.empty()), ApiScope.ALL);
        String all = NAMESPACES.stream().map(TestNamespace::deviceClass).collect(Collectors.joining(","));
        cluster.configure("{\"drivers\":\"%1$s\",\"classes\":\"%1$s\"}".formatted(all));
        cluster.apply(TestNamespace.KUBECTL_AS_WRITER);
        data = folder.resolve("data");
        up = Kubernetes.up(cluster, folder, data, NO_NODE_RESERVATION, FEATURES);
    }

    /** A test that fails while {@code up} is down does not affect the others. */
    @BeforeEach
    void restartUpIfEnded() throws IOException {
        if (!up.isAlive()) {
            up = Kubernetes.up(cluster, folder, data, NO_NODE_RESERVATION, FEATURES);
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

    // ---- owners of claims

    @Test
    void sharesClaimAmongAllPodsOfGroup() throws InterruptedException {
        TestNamespace namespace = openNamespace("group");
        namespace.publish("node-0000", "gpu-0");
        namespace.apply("apiVersion: %s\n".formatted(cluster.podGroupVersion()) + """
                kind: PodGroup
                metadata: {name: team}
                spec:
                  schedulingPolicy: {basic: {}}
                  resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]
                """);
        String member = "  schedulingGroup: {podGroupName: team}\n";
        namespace.apply(TestNamespace.pod("a", TestNamespace.TEMPLATE_CLAIM, member)
                + TestNamespace.pod("b", TestNamespace.TEMPLATE_CLAIM, member));
        String there = "on node-0000 with node-0000/gpu-0";
        namespace.await(Map.of("a", there, "b", there));
        namespace.apply(TestNamespace.pod("c", TestNamespace.TEMPLATE_CLAIM, member));
        namespace.await(Map.of("a", there, "b", there, "c", there));
        assertThat(namespace.claims())
                .singleElement()
                .satisfies(claim ->
                        assertThat(claim.reservedFor()).singleElement().matches(consumer -> consumer.isPodGroup()));

        namespace.delete("a", "b", "c");
        namespace.kubectl("delete", "podgroup", "team", "--wait=false");
        namespace.awaitDevices();
    }

    @Test
    void allocatesGangTogetherOrNotAtAll() throws InterruptedException {
        TestNamespace namespace = openNamespace("gang");
        namespace.publish("node-0000", "gpu-0");
        namespace.publish("node-0001", "gpu-0");
        namespace.apply("apiVersion: %s\n".formatted(cluster.podGroupVersion()) + """
                kind: PodGroup
                metadata: {name: train}
                spec: {schedulingPolicy: {gang: {minCount: 3}}}
                """);
        String member = "  schedulingGroup: {podGroupName: train}\n";
        for (String pod : List.of("a", "b", "c")) {
            namespace.apply(TestNamespace.pod(pod, TestNamespace.TEMPLATE_CLAIM, member));
        }
        namespace.awaitEvent("GangIncomplete", "2 of the 3 pods that start together fit");
        namespace.awaitDevices();
        namespace.publish("node-0002", "gpu-0");
        assertThat(namespace.await(3, stand -> stand.startsWith("on node-"))).containsExactly("a", "b", "c");

        namespace.delete("a", "b", "c");
        namespace.awaitDevices();
    }

    /** kube-scheduler allocates the unmanaged claim on the node of the managed one. */
    @Test
    void allocatesMixedPodButRejectsMixedClaim() throws InterruptedException {
        TestNamespace namespace = openNamespace("mixed");
        namespace.publish("node-0001", "gpu-0");
        namespace.apply("""
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: theirs.example.com}
                spec: {selectors: [{cel: {expression: device.driver == "theirs.example.com"}}]}
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: theirs}
                spec:
                  driver: theirs.example.com
                  allNodes: true
                  pool: {name: theirs, generation: 1, resourceSliceCount: 1}
                  devices: [{name: nic-0}, {name: nic-1}]
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: theirs}
                spec: {devices: {requests: [{name: nic, exactly: {deviceClassName: theirs.example.com}}]}}
                """);
        String theirs = "{name: nic, resourceClaimName: theirs}";
        namespace.apply(TestNamespace.pod("both", TestNamespace.TEMPLATE_CLAIM + ", " + theirs, "")
                + TestNamespace.pod("plain", theirs, ""));
        List<String> nic = List.of("theirs/nic-0", "theirs/nic-1");
        namespace.await(
                1,
                stand -> nic.stream()
                        .map(each -> "on node-0001 with node-0001/gpu-0 " + each)
                        .anyMatch(stand::equals));
        namespace.await(2, stand -> stand.contains("theirs/nic-"));

        cluster.kubectl("", "delete", "validatingadmissionpolicybinding", "claimstream-no-mixed-claims");
        try {
            SlowPoll.await(() -> isMixedClaimAccepted(namespace), "a claim that mixes classes, without the policy");
        } finally {
            cluster.kubectl(
                    "",
                    "apply",
                    "-f",
                    Path.of("..", "..", "deploy", "policies", "no-mixed-claims.yaml")
                            .toString());
        }
        namespace.apply(TestNamespace.pod("stuck", "{name: all, resourceClaimName: mixed}", ""));
        namespace.awaitEvent("Unmanaged", "no allocator can allocate both, request them in two claims");
        assertThat(namespace.podStates()).containsEntry("stuck", "gated");
        namespace.delete("both", "plain", "stuck");
        namespace.awaitDevices();
    }

    private boolean isMixedClaimAccepted(TestNamespace namespace) {
        try {
            namespace.apply("""
                    apiVersion: resource.k8s.io/v1
                    kind: ResourceClaim
                    metadata: {name: mixed}
                    spec:
                      devices:
                        requests:
                          - {name: gpu, exactly: {deviceClassName: mixed.example.com}}
                          - {name: nic, exactly: {deviceClassName: theirs.example.com}}
                    """);
            return true;
        } catch (ControlPlaneException e) {
            return false; // the API server still enforces the policy
        }
    }

    // ---- shared claims

    @Test
    @Tag("part-0")
    void limitsConsumersOfSharedClaim() throws InterruptedException {
        TestNamespace namespace = openNamespace("shared");
        namespace.publishEverywhere("gpu-0");
        namespace.createClaim("common");
        String[] all = names("pod-", 256);
        namespace.createPodsSharing("common", all);
        String shared = "with everywhere/gpu-0";
        namespace.await(256, stand -> stand.startsWith("on ") && stand.endsWith(shared));
        namespace.createPodsSharing("common", "next");
        namespace.awaitEvent("ConsumersExhausted", "256 consumers");
        namespace.publishEverywhere("gpu-0", "gpu-1");
        namespace.createPods("later");
        namespace.await(1, stand -> stand.endsWith("with everywhere/gpu-1"));
        assertThat(namespace.podStates()).containsEntry("next", "gated");
        namespace.delete("pod-0");
        namespace.await(256, stand -> stand.startsWith("on ") && stand.endsWith(shared));
        assertThat(namespace.podStates().get("next")).endsWith(shared);
        namespace.kubectl("delete", "pods", "--all", "--wait=false");
        namespace.awaitDevices();
    }

    // ---- deleted pods

    @Test
    @Tag("part-2")
    void deletesClaimOfDeletedGatedPod() throws InterruptedException {
        TestNamespace namespace = openNamespace("gated");
        namespace.publish("node-0000", "gpu-0");
        namespace.createPods("a");
        namespace.await(1, stand -> stand.startsWith("on "));
        namespace.createPods("b", "c");
        namespace.awaitEvent("DevicesInUse", "pod/b");
        namespace.delete("b");
        SlowPoll.await(() -> namespace.claims().size() == 2, "the claim of b is gone");
        namespace.delete("a");
        namespace.await(Map.of("c", "on node-0000 with node-0000/gpu-0"));
        namespace.delete("c");
        namespace.awaitDevices();
    }

    @Test
    void deallocatesWhenPodIsDeletedBeforeBinding() throws InterruptedException {
        TestNamespace namespace = openNamespace("flight");
        namespace.publish("node-0000", "gpu-0");
        cluster.plane().stop(ControlPlaneComponent.SCHEDULER);
        try {
            namespace.createPods("a");
            namespace.await(Map.of("a", "let go with node-0000/gpu-0"));
            namespace.createPods("b");
            namespace.delete("a");
            namespace.await(Map.of("b", "let go with node-0000/gpu-0"));
            namespace.kubectl("delete", "pod", "b", "--force", "--grace-period=0");
            namespace.awaitDevices();
        } finally {
            cluster.plane().resume(ControlPlaneComponent.SCHEDULER);
        }
        namespace.createPods("c");
        namespace.await(Map.of("c", "on node-0000 with node-0000/gpu-0"));
        namespace.kubectl("delete", "pod", "c", "--force", "--grace-period=0");
        namespace.awaitDevices();
    }

    /**
     * The kubelet stops the pod two seconds later. Until then the DRA driver refuses to prepare the device for another
     * pod.
     */
    @Test
    @Tag("part-1")
    void quarantinesDeviceOfForceDeletedPod() throws InterruptedException {
        TestNamespace namespace = openNamespace("forced");
        namespace.publish("node-0000", "gpu-0");
        namespace.createPods("a");
        namespace.await(Map.of("a", "on node-0000 with node-0000/gpu-0"));
        long before = System.nanoTime();
        namespace.kubectl("delete", "pod", "a", "--force", "--grace-period=0");
        namespace.awaitDevices();
        namespace.createPods("b");
        namespace.awaitEvent("DevicesInUse", "pod/b");
        namespace.await(Map.of("b", "on node-0000 with node-0000/gpu-0"));
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThan(Duration.ofSeconds(10));
        namespace.delete("b");
        namespace.createPods("c");
        namespace.await(Map.of("c", "on node-0000 with node-0000/gpu-0"));
        assertThat(namespace.kubectl("get", "events")).doesNotContain("FailedPrepareDynamicResources");
    }

    /** The finalizer keeps the claim while its pod runs. */
    @Test
    @Tag("part-2")
    void keepsDevicesOfDeletedClaimWhilePodRuns() throws InterruptedException {
        TestNamespace namespace = openNamespace("kept");
        namespace.publish("node-0000", "gpu-0");
        namespace.createClaim("named");
        namespace.createPodsSharing("named", "a");
        String there = "on node-0000 with node-0000/gpu-0";
        namespace.await(Map.of("a", there));
        namespace.kubectl("delete", "resourceclaim", "named", "--wait=false");
        namespace.createPods("b");
        namespace.awaitEvent("DevicesInUse", "pod/b");
        assertThat(namespace.podStates()).isEqualTo(Map.of("a", there, "b", "gated"));
        namespace.awaitDevices("node-0000/gpu-0");
        namespace.delete("a");
        namespace.await(Map.of("b", there));
        namespace.awaitDevices("node-0000/gpu-0");
        assertThat(namespace.claims())
                .singleElement()
                .satisfies(claim -> assertThat(claim.meta().name()).startsWith("b-gpu-"));
    }

    @Test
    void reusesDeviceForPodsOfJob() throws InterruptedException {
        TestNamespace namespace = openNamespace("jobs");
        namespace.publish("node-0000", "gpu-0");
        namespace.apply("""
                apiVersion: batch/v1
                kind: Job
                metadata: {name: train}
                spec:
                  completions: 4
                  parallelism: 4
                  template:
                    metadata: {annotations: {testbed.claimstream.dev/runs-seconds: "1"}}
                    spec:
                      restartPolicy: Never
                      resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]
                      containers: [{name: main, image: none}]
                """);
        SlowPoll.await(
                () -> namespace
                        .kubectl("get", "job", "train", "-o", "jsonpath={.status.succeeded}")
                        .equals("4"),
                "four pods have succeeded");
        namespace.awaitDevices();
        SlowPoll.await(() -> namespace.claims().isEmpty(), "no claims are left");
    }

    // ---- claims without a consumer

    /** A claim without a pod holds nothing, and a claim whose last pod is deleted is not allocated again. */
    @Test
    @Tag("part-3")
    void allocatesOnlyClaimsWithConsumer() throws InterruptedException {
        TestNamespace namespace = openNamespace("unused");
        namespace.publish("node-0000", "gpu-0", "gpu-1");
        List.of(names("hoard-", 8)).forEach(namespace::createClaim);
        namespace.createClaim("named");
        SlowPoll.await(() -> explain(namespace, "named").contains("NoConsumer"), () -> explain(namespace, "named"));
        assertThat(explain(namespace, "hoard-0"))
                .contains("no pod uses claim unused/hoard-0: create a pod that names it in spec.resourceClaims");
        assertThat(namespace.devices()).isEmpty();
        namespace.createPods("a");
        namespace.createPodsSharing("named", "b");
        assertThat(namespace.await(2, stand -> stand.startsWith("on node-0000")))
                .containsExactly("a", "b");

        namespace.delete("b");
        SlowPoll.await(() -> namespace.devices().size() == 1, "the resourceclaim controller has cleared the claim");
        SlowPoll.await(() -> explain(namespace, "named").contains("NoConsumer"), () -> explain(namespace, "named"));
        namespace.createPods("c");
        assertThat(namespace.await(2, stand -> stand.startsWith("on node-0000")))
                .containsExactly("a", "c");
        assertThat(namespace.claims().stream()
                        .filter(claim -> claim.allocation().isPresent())
                        .map(claim -> claim.meta().name().substring(0, 1)))
                .containsExactlyInAnyOrder("a", "c");

        namespace.delete("a", "c");
        namespace.awaitDevices();
        namespace.kubectl("delete", "resourceclaims", "--all");
    }

    private static final String CONFIG = "config: [{opaque: {driver: opaque.example.com, parameters: {key: %s}}}]";

    private static String configuredClaim(String name, String key) {
        return """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: %s}
                spec:
                  devices:
                    requests: [{name: gpu, exactly: {deviceClassName: opaque.example.com}}]
                    %s
                """.formatted(name, CONFIG.formatted(key));
    }

    private void configureClass(String key) {
        cluster.apply("""
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: opaque.example.com}
                spec:
                  selectors: [{cel: {expression: device.driver == "opaque.example.com"}}]
                  %s
                """.formatted(CONFIG.formatted(key)));
    }

    private static List<String> parameters(TestNamespace namespace, String claim) {
        return namespace.claims().stream()
                .filter(each -> each.meta().name().equals(claim))
                .flatMap(each -> each.allocation().stream())
                .flatMap(allocation -> allocation.config().stream())
                .map(each -> "%s %s %s %s"
                        .formatted(
                                each.source().apiName(),
                                each.requests(),
                                each.opaque().driver(),
                                each.opaque().parameters()))
                .toList();
    }

    private static String parametersOf(String source, String key) {
        return "%s [] opaque.example.com {\"key\":\"%s\"}".formatted(source, key);
    }

    /** kubectl writes the manifests with their secrets into an annotation, too. */
    @Test
    void allocationsHaveParametersThatNoTopicHas() throws InterruptedException {
        TestNamespace namespace = openNamespace("opaque");
        namespace.publish("node-0000", "gpu-0", "gpu-1");
        configureClass("hidden-1");
        namespace.apply(configuredClaim("one", "hidden-2"));
        namespace.createPodsSharing("one", "a");
        namespace.await(Map.of("a", "on node-0000 with node-0000/gpu-0"));
        assertThat(parameters(namespace, "one"))
                .containsExactly(parametersOf("FromClass", "hidden-1"), parametersOf("FromClaim", "hidden-2"));

        configureClass("hidden-3");
        namespace.apply(configuredClaim("two", "hidden-4"));
        namespace.createPodsSharing("two", "b");
        SlowPoll.await(() -> !parameters(namespace, "two").isEmpty(), () -> explain(namespace, "two"));
        assertThat(parameters(namespace, "two"))
                .containsExactly(parametersOf("FromClass", "hidden-3"), parametersOf("FromClaim", "hidden-4"));

        String bootstrap = DataFolder.publishedEndpoint(data).orElseThrow().bootstrap();
        String records = RecordedBytes.of(bootstrap);
        assertThat(records)
                .contains("claimstream.dev/not-recorded: spec.devices.config[0]", "opaque.example.com")
                .doesNotContain("hidden-", "last-applied-configuration");
    }

    /** The claim of a group is allocated with the group's first pod and kept until the group is deleted. */
    @Test
    @Tag("part-0")
    void keepsClaimOfPodGroupUntilGroupIsDeleted() throws InterruptedException {
        TestNamespace namespace = openNamespace("grouped");
        namespace.publish("node-0000", "gpu-0");
        namespace.createClaim("shared");
        namespace.apply("apiVersion: %s\n".formatted(cluster.podGroupVersion()) + """
                kind: PodGroup
                metadata: {name: team}
                spec:
                  schedulingPolicy: {basic: {}}
                  resourceClaims: [{name: gpu, resourceClaimName: shared}]
                """);
        SlowPoll.await(
                () -> explain(namespace, "shared").contains("pod group grouped/team"),
                () -> explain(namespace, "shared"));
        assertThat(namespace.devices()).isEmpty();
        String member = "  schedulingGroup: {podGroupName: team}\n";
        String entry = "{name: gpu, resourceClaimName: shared}";
        String there = "on node-0000 with node-0000/gpu-0";
        namespace.apply(TestNamespace.pod("a", entry, member));
        namespace.await(Map.of("a", there));
        assertThat(namespace.claims())
                .singleElement()
                .satisfies(claim ->
                        assertThat(claim.reservedFor()).singleElement().matches(consumer -> consumer.isPodGroup()));

        namespace.delete("a");
        SlowPoll.await(() -> namespace.pods().isEmpty(), "no pods");
        namespace.apply(TestNamespace.pod("b", entry, member));
        namespace.await(Map.of("b", there));
        namespace.delete("b");
        namespace.kubectl("delete", "podgroup", "team", "--wait=false");
        namespace.awaitDevices();
        SlowPoll.await(() -> explain(namespace, "shared").contains("NoConsumer"), () -> explain(namespace, "shared"));
        namespace.createPods("c");
        namespace.await(Map.of("c", there));
        namespace.delete("c");
        namespace.awaitDevices();
    }

    private String explain(TestNamespace namespace, String claim) {
        return run("explain", "claim", namespace.name() + "/" + claim).out();
    }

    // ---- foreign writes

    /**
     * The test writes as the writer, because the policies admit only the writer. It allocates the device that
     * Claimstream would allocate next.
     */
    @Test
    @Tag("part-3")
    void keepsForeignAllocationAndReportsConflict() throws InterruptedException {
        TestNamespace namespace = openNamespace("foreign");
        namespace.createClaim("theirs");
        namespace.allocate("theirs", "node-0000", "gpu-0");
        namespace.publish("node-0000", "gpu-0", "gpu-1");
        ResourceClaim before = namespace.claims().getFirst();
        namespace.createPodsSharing("theirs", "a");
        namespace.createPods("b", "c");
        namespace.await(2, stand -> stand.startsWith("on "));
        Map<String, String> states = new TreeMap<>(namespace.podStates());
        assertThat(states)
                .containsEntry("a", "on node-0000 with node-0000/gpu-0")
                .containsValue("gated");
        assertThat(namespace.devices()).containsExactly("node-0000/gpu-0", "node-0000/gpu-1");
        ResourceClaim now = namespace.claims().stream()
                .filter(claim -> claim.meta().name().equals("theirs"))
                .findFirst()
                .orElseThrow();
        assertThat(now.allocation()).isEqualTo(before.allocation());

        // the conflict is reported, and the device is not allocated again
        namespace.createClaim("collides");
        namespace.allocate("collides", "node-0000", "gpu-1");
        SlowPoll.await(() -> up.err().contains("another allocator has also allocated this device"), up::err);
        assertThat(up.err()).contains("gpu-1").contains("foreign/collides");
        namespace.kubectl("delete", "resourceclaim", "collides");
        namespace.delete("a", "b", "c");
        namespace.kubectl("delete", "resourceclaim", "theirs");
        namespace.awaitDevices();
    }

    /**
     * kube-scheduler clears an allocation in this way if the node has no room. Claimstream then excludes the node for a
     * while. kube-scheduler is down meanwhile: one that is only suspended may bind the pod by the first allocation, which
     * it has in its cache.
     */
    @Test
    void reallocatesClearedClaimOnAnotherNode() throws InterruptedException {
        TestNamespace namespace = openNamespace("cleared");
        namespace.publish("node-0000", "gpu-0");
        cluster.plane().kill(ControlPlaneComponent.SCHEDULER);
        try {
            namespace.createPods("a");
            namespace.await(Map.of("a", "let go with node-0000/gpu-0"));
            namespace.publish("node-0001", "gpu-1");
            namespace.patchStatus(
                    namespace.claims().getFirst().meta().name(), "{\"allocation\":null,\"reservedFor\":null}");
            namespace.await(Map.of("a", "let go with node-0001/gpu-1"));
        } finally {
            var unused = cluster.plane().start(ControlPlaneComponent.SCHEDULER);
        }
        namespace.await(Map.of("a", "on node-0001 with node-0001/gpu-1"));
    }

    // ---- lost devices

    @Test
    void evictsPodFromTaintedDevice() throws InterruptedException {
        TestNamespace namespace = openNamespace("tainted");
        namespace.publish("node-0000", "gpu-0");
        namespace.createPods("a");
        namespace.await(Map.of("a", "on node-0000 with node-0000/gpu-0"));
        namespace.publish("node-0000", "gpu-0 tainted");
        namespace.await(Map.of());
        namespace.awaitDevices();
        namespace.createPods("b");
        namespace.awaitEvent("Tainted", "pod/b");
        namespace.publish("node-0000", "gpu-0 tainted", "gpu-1");
        namespace.await(Map.of("b", "on node-0000 with node-0000/gpu-1"));
    }

    private static String taintRule(String name, String effect) {
        return """
                apiVersion: resource.k8s.io/v1beta2
                kind: DeviceTaintRule
                metadata: {name: %1$s}
                spec:
                  deviceSelector: {driver: ruled.example.com, pool: node-0000, device: gpu-0}
                  taint: {key: example.com/%1$s, effect: %2$s}
                """.formatted(name, effect);
    }

    /** An administrator creates the rule; no driver publishes it. */
    @Test
    @Tag("part-1")
    void appliesDeviceTaintRuleUntilDeleted() throws InterruptedException {
        TestNamespace namespace = openNamespace("ruled");
        cluster.apply(taintRule("suspect", "NoSchedule"));
        namespace.publish("node-0000", "gpu-0");
        namespace.createPods("a");
        namespace.awaitEvent("Tainted", "pod/a");
        cluster.kubectl("", "delete", "devicetaintrule", "suspect");
        namespace.await(Map.of("a", "on node-0000 with node-0000/gpu-0"));

        cluster.apply(taintRule("broken", "NoExecute"));
        namespace.await(Map.of());
        namespace.awaitDevices();
        namespace.createPods("b");
        namespace.awaitEvent("Tainted", "pod/b");
        cluster.kubectl("", "delete", "devicetaintrule", "broken");
        namespace.await(Map.of("b", "on node-0000 with node-0000/gpu-0"));
    }

    @Test
    @Tag("part-4")
    void keepsAllocationOfUnpublishedDevice() throws InterruptedException {
        TestNamespace namespace = openNamespace("withdrawn");
        namespace.publish("node-0000", "gpu-0", "gpu-1");
        namespace.createPods("a", "b");
        namespace.await(2, stand -> stand.startsWith("on "));
        namespace.publish("node-0000", "gpu-1");
        namespace.createPods("c");
        namespace.awaitEvent("DevicesInUse", "pod/c");
        assertThat(namespace.devices()).containsExactly("node-0000/gpu-0", "node-0000/gpu-1");
        String held = namespace.podStates().entrySet().stream()
                .filter(each -> each.getValue().endsWith("gpu-0"))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
        namespace.delete(held);
        namespace.awaitDevices("node-0000/gpu-1");
        assertThat(namespace.podStates()).containsEntry("c", "gated");
        namespace.publish("node-0000", "gpu-0", "gpu-1");
        namespace.await(2, stand -> stand.startsWith("on "));
        assertThat(namespace.devices()).containsExactly("node-0000/gpu-0", "node-0000/gpu-1");
    }

    // ---- faults

    @Test
    @Tag("part-2")
    void resumesAfterApiServerOutage() throws InterruptedException {
        TestNamespace namespace = openNamespace("down");
        namespace.publish("node-0000", names("gpu-", 4));
        namespace.createPods(names("before-", 2));
        namespace.await(2, stand -> stand.startsWith("on "));
        cluster.plane().kill(ControlPlaneComponent.API_SERVER);
        SlowPoll.await(() -> run("status").out().contains("not watching"), "word of the silence");
        SlowPoll.await(() -> run("status").out().contains("could not be renewed"), "a downtime that blocks writes");
        cluster.plane().start(ControlPlaneComponent.API_SERVER);
        namespace.delete("before-0");
        namespace.createPods(names("after-", 4));
        namespace.await(4, stand -> stand.startsWith("on "));
        assertThat(namespace.devices()).hasSize(4).doesNotHaveDuplicates();
        namespace.delete("before-1");
        namespace.await(4, stand -> stand.startsWith("on "));
        assertThat(namespace.podStates()).hasSize(4);
    }

    @Test
    @Tag("part-4")
    void resumesAfterKill() throws IOException, InterruptedException {
        TestNamespace namespace = openNamespace("killed");
        namespace.publish("node-0000", names("gpu-", 20));
        namespace.createPods(names("pod-", 30));
        SlowPoll.await(() -> !namespace.devices().isEmpty(), "the first device is given");
        up.kill();
        up.awaitEnd();
        namespace.delete(names("pod-", 5));
        up = Kubernetes.up(cluster, folder, data, NO_NODE_RESERVATION, FEATURES);
        namespace.await(20, stand -> stand.startsWith("on "));
        assertThat(namespace.devices()).hasSize(20).doesNotHaveDuplicates();
        namespace.await(5, "gated"::equals);
    }

    /**
     * An {@code up} without state adopts the allocations of the cluster. It removes the gates of pods whose claims are
     * already allocated and reserved.
     */
    @Test
    @Tag("part-1")
    void adoptsClusterStateWithoutOwnState() throws IOException, InterruptedException {
        TestNamespace namespace = openNamespace("lost");
        namespace.publish("node-0000", "gpu-0", "gpu-1", "gpu-2");
        namespace.createPods("a");
        namespace.await(1, stand -> stand.startsWith("on "));
        up.kill();
        up.awaitEnd();
        namespace.createPods("b", "c", "d");
        SlowPoll.await(() -> namespace.claims().size() == 4, "claims of all");
        reserve(namespace, "b", "gpu-1");
        Path forgotten = data;
        data = folder.resolve("another");
        up = Kubernetes.up(cluster, folder, data, NO_NODE_RESERVATION, FEATURES);
        namespace.await(3, stand -> stand.startsWith("on "));
        assertThat(namespace.podStates())
                .containsEntry("b", "on node-0000 with node-0000/gpu-1")
                .containsValue("gated");
        assertThat(namespace.devices()).hasSize(3).doesNotHaveDuplicates();

        assertThat(Program.run(folder, cluster.command(forgotten)).err()).contains("is outdated");
        namespace.delete("a");
        namespace.await(3, stand -> stand.startsWith("on "));
        assertThat(namespace.podStates()).hasSize(3);
    }

    /** Leaves the state of a writer that ends before it removes the gate. */
    private void reserve(TestNamespace namespace, String name, String device) {
        Pod pod = namespace.pods().stream()
                .filter(each -> each.meta().name().equals(name))
                .findFirst()
                .orElseThrow();
        String claim = namespace.claims().stream()
                .map(each -> each.meta().name())
                .filter(each -> each.startsWith(name + "-"))
                .findFirst()
                .orElseThrow();
        namespace.allocate(claim, "node-0000", device, pod);
    }

    /**
     * A device is released and allocated again while {@code up} is down. kube-scheduler's own cache is wrong after
     * that; Claimstream's state is not.
     */
    @Test
    @Tag("part-3")
    void detectsReallocationHiddenByRelist() throws IOException, InterruptedException {
        TestNamespace namespace = openNamespace("relisted");
        namespace.publish("node-0000", "gpu-0", "gpu-1");
        namespace.createPods("a");
        namespace.await(1, stand -> stand.startsWith("on "));
        String first = namespace.devices().getFirst();
        String other = first.endsWith("0") ? "gpu-1" : "gpu-0";
        Pod pod = namespace.pods().getFirst();
        String claim = namespace.claims().getFirst().meta().name();
        up.kill();
        up.awaitEnd();
        cluster.plane().stop(ControlPlaneComponent.CONTROLLERS);
        try {
            namespace.patchStatus(claim, "{\"allocation\":null,\"reservedFor\":null}");
            namespace.allocate(claim, "node-0000", other, pod);
        } finally {
            cluster.plane().resume(ControlPlaneComponent.CONTROLLERS);
        }
        up = Kubernetes.up(cluster, folder, data, NO_NODE_RESERVATION, FEATURES);
        namespace.createPods("b", "c");
        namespace.await(2, stand -> stand.startsWith("on "));
        assertThat(namespace.devices()).containsExactly("node-0000/gpu-0", "node-0000/gpu-1");
        assertThat(namespace.podStates())
                .containsEntry("a", "on node-0000 with node-0000/" + other)
                .containsValue("gated");
    }
}

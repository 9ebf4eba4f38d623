package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
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
 * Each test has its own devices ({@link Yard}) on the nodes of one cluster, which is served all the time.
 */
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LifecycleIT {
    private static final String[] FEATURES = {
        "--kubernetes", "1.36", "--features", "DRAWorkloadResourceClaims=true,DRADeviceTaintRules=true"
    };

    /** No node is reserved for an item that stays pending: all tests share the nodes. */
    private static final Map<String, String> APART = Map.of("CLAIMSTREAM_ALLOCATOR_OVERTAKEN_MAX", "100000");

    private static final List<String> YARDS = List.of(
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
            "grouped");

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
        String all = YARDS.stream().map(Yard::deviceClass).collect(Collectors.joining(","));
        cluster.configure("{\"drivers\":\"%1$s\",\"classes\":\"%1$s\"}".formatted(all));
        cluster.apply(Yard.AS_THE_WRITER);
        data = folder.resolve("data");
        up = Kubernetes.up(cluster, folder, data, APART, FEATURES);
    }

    /** A test that fails while {@code up} is down does not affect the others. */
    @BeforeEach
    void keepUp() throws IOException {
        if (!up.isAlive()) {
            up = Kubernetes.up(cluster, folder, data, APART, FEATURES);
        }
    }

    @AfterAll
    void stop() {
        up.close();
        api.close();
        cluster.close();
    }

    private Yard yard(String name) {
        return Yard.open(cluster, api, name);
    }

    private Ran on(String... command) {
        return Ran.of(Stream.concat(Arrays.stream(command), Stream.of("--data", data.toString()))
                .toArray(String[]::new));
    }

    private static String[] names(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(each -> prefix + each).toArray(String[]::new);
    }

    // ---- owners of claims

    @Test
    void podsOfAGroupShareItsClaimAlsoThoseThatComeLater() throws InterruptedException {
        Yard yard = yard("group");
        yard.publish("node-0000", "gpu-0");
        yard.apply("""
                apiVersion: scheduling.k8s.io/v1alpha2
                kind: PodGroup
                metadata: {name: team}
                spec:
                  schedulingPolicy: {basic: {}}
                  resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]
                """);
        String member = "  schedulingGroup: {podGroupName: team}\n";
        yard.apply(Yard.pod("a", Yard.TEMPLATED, member) + Yard.pod("b", Yard.TEMPLATED, member));
        String there = "on node-0000 with node-0000/gpu-0";
        yard.await(Map.of("a", there, "b", there));
        yard.apply(Yard.pod("c", Yard.TEMPLATED, member));
        yard.await(Map.of("a", there, "b", there, "c", there));
        assertThat(yard.claims())
                .singleElement()
                .satisfies(claim ->
                        assertThat(claim.reservedFor()).singleElement().matches(consumer -> consumer.isPodGroup()));

        yard.delete("a", "b", "c");
        yard.kubectl("delete", "podgroup", "team", "--wait=false");
        yard.awaitDevices();
    }

    @Test
    void podsOfAGangStartTogetherOrHoldNothing() throws InterruptedException {
        Yard yard = yard("gang");
        yard.publish("node-0000", "gpu-0");
        yard.publish("node-0001", "gpu-0");
        yard.apply("""
                apiVersion: scheduling.k8s.io/v1alpha2
                kind: PodGroup
                metadata: {name: train}
                spec: {schedulingPolicy: {gang: {minCount: 3}}}
                """);
        String member = "  schedulingGroup: {podGroupName: train}\n";
        for (String pod : List.of("a", "b", "c")) {
            yard.apply(Yard.pod(pod, Yard.TEMPLATED, member));
        }
        yard.awaitEvent("GangIncomplete", "2 of the 3 pods fit that start together in group");
        yard.awaitDevices();
        yard.publish("node-0002", "gpu-0");
        assertThat(yard.await(3, stand -> stand.startsWith("on node-"))).containsExactly("a", "b", "c");

        yard.delete("a", "b", "c");
        yard.awaitDevices();
    }

    /** kube-scheduler allocates the unmanaged claim on the node of the managed one. */
    @Test
    void aPodWithAClaimOfOthersTooGetsBothAndAClaimThatMixesThemIsSaidPlainly() throws InterruptedException {
        Yard yard = yard("mixed");
        yard.publish("node-0001", "gpu-0");
        yard.apply("""
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
        yard.apply(Yard.pod("both", Yard.TEMPLATED + ", " + theirs, "") + Yard.pod("plain", theirs, ""));
        List<String> nic = List.of("theirs/nic-0", "theirs/nic-1");
        yard.await(
                1,
                stand -> nic.stream()
                        .map(each -> "on node-0001 with node-0001/gpu-0 " + each)
                        .anyMatch(stand::equals));
        yard.await(2, stand -> stand.contains("theirs/nic-"));

        cluster.kubectl("", "delete", "validatingadmissionpolicybinding", "claimstream-no-mixed-claims");
        try {
            Slowly.await(() -> isMixedTaken(yard), "a claim that mixes classes, without the policy");
        } finally {
            cluster.kubectl(
                    "",
                    "apply",
                    "-f",
                    Path.of("..", "..", "deploy", "policies", "no-mixed-claims.yaml")
                            .toString());
        }
        yard.apply(Yard.pod("stuck", "{name: all, resourceClaimName: mixed}", ""));
        yard.awaitEvent("NotOurs", "nobody can allocate both, ask for them in two claims");
        assertThat(yard.stands()).containsEntry("stuck", "gated");
        yard.delete("both", "plain", "stuck");
        yard.awaitDevices();
    }

    private boolean isMixedTaken(Yard yard) {
        try {
            yard.apply("""
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
    void aSharedClaimTakesSoManyConsumersAndTheNextWhenOneGoes() throws InterruptedException {
        Yard yard = yard("shared");
        yard.publishEverywhere("gpu-0");
        yard.claim("common");
        String[] all = names("pod-", 256);
        yard.sharing("common", all);
        String shared = "with everywhere/gpu-0";
        yard.await(256, stand -> stand.startsWith("on ") && stand.endsWith(shared));
        yard.sharing("common", "next");
        yard.awaitEvent("ConsumersExhausted", "256 consumers");
        yard.publishEverywhere("gpu-0", "gpu-1");
        yard.templated("later");
        yard.await(1, stand -> stand.endsWith("with everywhere/gpu-1"));
        assertThat(yard.stands()).containsEntry("next", "gated");
        yard.delete("pod-0");
        yard.await(256, stand -> stand.startsWith("on ") && stand.endsWith(shared));
        assertThat(yard.stands().get("next")).endsWith(shared);
        yard.kubectl("delete", "pods", "--all", "--wait=false");
        yard.awaitDevices();
    }

    // ---- deleted pods

    @Test
    void aPodThatGoesWhileItIsGatedLeavesNothing() throws InterruptedException {
        Yard yard = yard("gated");
        yard.publish("node-0000", "gpu-0");
        yard.templated("a");
        yard.await(1, stand -> stand.startsWith("on "));
        yard.templated("b", "c");
        yard.awaitEvent("DevicesInUse", "pod/b");
        yard.delete("b");
        Slowly.await(() -> yard.claims().size() == 2, "the claim of b is gone");
        yard.delete("a");
        yard.await(Map.of("c", "on node-0000 with node-0000/gpu-0"));
        yard.delete("c");
        yard.awaitDevices();
    }

    @Test
    void aPodThatGoesBeforeItIsBoundGivesItsDeviceBack() throws InterruptedException {
        Yard yard = yard("flight");
        yard.publish("node-0000", "gpu-0");
        cluster.plane().stop(ControlPlaneComponent.SCHEDULER);
        try {
            yard.templated("a");
            yard.await(Map.of("a", "let go with node-0000/gpu-0"));
            yard.templated("b");
            yard.delete("a");
            yard.await(Map.of("b", "let go with node-0000/gpu-0"));
            yard.kubectl("delete", "pod", "b", "--force", "--grace-period=0");
            yard.awaitDevices();
        } finally {
            cluster.plane().resume(ControlPlaneComponent.SCHEDULER);
        }
        yard.templated("c");
        yard.await(Map.of("c", "on node-0000 with node-0000/gpu-0"));
        yard.kubectl("delete", "pod", "c", "--force", "--grace-period=0");
        yard.awaitDevices();
    }

    /**
     * The kubelet stops the pod two seconds later. Until then the DRA driver refuses to prepare the device for another
     * pod.
     */
    @Test
    void aDeviceOfAPodThatGoesByForceCoolsDown() throws InterruptedException {
        Yard yard = yard("forced");
        yard.publish("node-0000", "gpu-0");
        yard.templated("a");
        yard.await(Map.of("a", "on node-0000 with node-0000/gpu-0"));
        long before = System.nanoTime();
        yard.kubectl("delete", "pod", "a", "--force", "--grace-period=0");
        yard.awaitDevices();
        yard.templated("b");
        yard.awaitEvent("DevicesInUse", "pod/b");
        yard.await(Map.of("b", "on node-0000 with node-0000/gpu-0"));
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThan(Duration.ofSeconds(10));
        yard.delete("b");
        yard.templated("c");
        yard.await(Map.of("c", "on node-0000 with node-0000/gpu-0"));
        assertThat(yard.kubectl("get", "events")).doesNotContain("FailedPrepareDynamicResources");
    }

    /** The finalizer keeps the claim while its pod runs. */
    @Test
    void aClaimThatIsDeletedUnderItsPodKeepsItsDeviceUntilThePodIsGone() throws InterruptedException {
        Yard yard = yard("kept");
        yard.publish("node-0000", "gpu-0");
        yard.claim("named");
        yard.sharing("named", "a");
        String there = "on node-0000 with node-0000/gpu-0";
        yard.await(Map.of("a", there));
        yard.kubectl("delete", "resourceclaim", "named", "--wait=false");
        yard.templated("b");
        yard.awaitEvent("DevicesInUse", "pod/b");
        assertThat(yard.stands()).isEqualTo(Map.of("a", there, "b", "gated"));
        yard.awaitDevices("node-0000/gpu-0");
        yard.delete("a");
        yard.await(Map.of("b", there));
        yard.awaitDevices("node-0000/gpu-0");
        assertThat(yard.claims())
                .singleElement()
                .satisfies(claim -> assertThat(claim.meta().name()).startsWith("b-gpu-"));
    }

    @Test
    void thePodsOfAJobTakeTurns() throws InterruptedException {
        Yard yard = yard("jobs");
        yard.publish("node-0000", "gpu-0");
        yard.apply("""
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
        Slowly.await(
                () -> yard.kubectl("get", "job", "train", "-o", "jsonpath={.status.succeeded}")
                        .equals("4"),
                "four pods have succeeded");
        yard.awaitDevices();
        Slowly.await(() -> yard.claims().isEmpty(), "no claims are left");
    }

    // ---- claims without a consumer

    /** A claim without a pod holds nothing, and a claim whose last pod is deleted is not allocated again. */
    @Test
    void onlyAClaimThatAPodUsesGetsDevices() throws InterruptedException {
        Yard yard = yard("unused");
        yard.publish("node-0000", "gpu-0", "gpu-1");
        List.of(names("hoard-", 8)).forEach(yard::claim);
        yard.claim("named");
        Slowly.await(() -> explained(yard, "named").contains("NoConsumer"), () -> explained(yard, "named"));
        assertThat(explained(yard, "hoard-0"))
                .contains("no pod uses claim unused/hoard-0: create a pod that names it in spec.resourceClaims");
        assertThat(yard.devices()).isEmpty();
        yard.templated("a");
        yard.sharing("named", "b");
        assertThat(yard.await(2, stand -> stand.startsWith("on node-0000"))).containsExactly("a", "b");

        yard.delete("b");
        Slowly.await(() -> yard.devices().size() == 1, "the resourceclaim controller has cleared the claim");
        Slowly.await(() -> explained(yard, "named").contains("NoConsumer"), () -> explained(yard, "named"));
        yard.templated("c");
        assertThat(yard.await(2, stand -> stand.startsWith("on node-0000"))).containsExactly("a", "c");
        assertThat(yard.claims().stream()
                        .filter(claim -> claim.allocation().isPresent())
                        .map(claim -> claim.meta().name().substring(0, 1)))
                .containsExactlyInAnyOrder("a", "c");

        yard.delete("a", "c");
        yard.awaitDevices();
        yard.kubectl("delete", "resourceclaims", "--all");
    }

    /** The claim of a group is allocated with the group's first pod and kept until the group is deleted. */
    @Test
    void aPodGroupKeepsItsNamedClaimAndGetsNothingWithoutAPod() throws InterruptedException {
        Yard yard = yard("grouped");
        yard.publish("node-0000", "gpu-0");
        yard.claim("shared");
        yard.apply("""
                apiVersion: scheduling.k8s.io/v1alpha2
                kind: PodGroup
                metadata: {name: team}
                spec:
                  schedulingPolicy: {basic: {}}
                  resourceClaims: [{name: gpu, resourceClaimName: shared}]
                """);
        Slowly.await(
                () -> explained(yard, "shared").contains("pod group grouped/team"), () -> explained(yard, "shared"));
        assertThat(yard.devices()).isEmpty();
        String member = "  schedulingGroup: {podGroupName: team}\n";
        String entry = "{name: gpu, resourceClaimName: shared}";
        String there = "on node-0000 with node-0000/gpu-0";
        yard.apply(Yard.pod("a", entry, member));
        yard.await(Map.of("a", there));
        assertThat(yard.claims())
                .singleElement()
                .satisfies(claim ->
                        assertThat(claim.reservedFor()).singleElement().matches(consumer -> consumer.isPodGroup()));

        yard.delete("a");
        Slowly.await(() -> yard.pods().isEmpty(), "no pods");
        yard.apply(Yard.pod("b", entry, member));
        yard.await(Map.of("b", there));
        yard.delete("b");
        yard.kubectl("delete", "podgroup", "team", "--wait=false");
        yard.awaitDevices();
        Slowly.await(() -> explained(yard, "shared").contains("NoConsumer"), () -> explained(yard, "shared"));
        yard.templated("c");
        yard.await(Map.of("c", there));
        yard.delete("c");
        yard.awaitDevices();
    }

    private String explained(Yard yard, String claim) {
        return on("explain", "claim", yard.name() + "/" + claim).out();
    }

    // ---- foreign writes

    /**
     * The test writes as the writer, because the policies admit only the writer. It allocates the device that
     * Claimstream would allocate next.
     */
    @Test
    void whatSomebodyElseHasAllocatedStandsAndIsGivenToNobodyElse() throws InterruptedException {
        Yard yard = yard("foreign");
        yard.claim("theirs");
        yard.allocate("theirs", "node-0000", "gpu-0");
        yard.publish("node-0000", "gpu-0", "gpu-1");
        ResourceClaim before = yard.claims().getFirst();
        yard.sharing("theirs", "a");
        yard.templated("b", "c");
        yard.await(2, stand -> stand.startsWith("on "));
        Map<String, String> stands = new TreeMap<>(yard.stands());
        assertThat(stands)
                .containsEntry("a", "on node-0000 with node-0000/gpu-0")
                .containsValue("gated");
        assertThat(yard.devices()).containsExactly("node-0000/gpu-0", "node-0000/gpu-1");
        ResourceClaim now = yard.claims().stream()
                .filter(claim -> claim.meta().name().equals("theirs"))
                .findFirst()
                .orElseThrow();
        assertThat(now.allocation()).isEqualTo(before.allocation());

        // the conflict is reported, and the device is not allocated again
        yard.claim("collides");
        yard.allocate("collides", "node-0000", "gpu-1");
        Slowly.await(() -> up.err().contains("somebody else has given out this device too"), up::err);
        assertThat(up.err()).contains("gpu-1").contains("foreign/collides");
        yard.kubectl("delete", "resourceclaim", "collides");
        yard.delete("a", "b", "c");
        yard.kubectl("delete", "resourceclaim", "theirs");
        yard.awaitDevices();
    }

    /**
     * kube-scheduler clears an allocation in this way if the node has no room. Claimstream then excludes the node for a
     * while. A foreign scheduling gate keeps kube-scheduler away meanwhile.
     */
    @Test
    void aClaimThatIsClearedBeforeItsPodIsBoundIsDecidedAgainForAnotherNode() throws InterruptedException {
        Yard yard = yard("cleared");
        yard.publish("node-0000", "gpu-0");
        yard.apply(Yard.pod("a", Yard.TEMPLATED, "  schedulingGates: [{name: example.com/hold}]\n"));
        yard.await(Map.of("a", "let go with node-0000/gpu-0"));
        yard.publish("node-0001", "gpu-1");
        yard.status(yard.claims().getFirst().meta().name(), "{\"allocation\":null,\"reservedFor\":null}");
        yard.await(Map.of("a", "let go with node-0001/gpu-1"));
        yard.kubectl("patch", "pod", "a", "--type=merge", "-p", "{\"spec\":{\"schedulingGates\":null}}");
        yard.await(Map.of("a", "on node-0001 with node-0001/gpu-1"));
    }

    // ---- lost devices

    @Test
    void aDeviceThatIsTaintedLosesItsPodAndIsGivenToNobody() throws InterruptedException {
        Yard yard = yard("tainted");
        yard.publish("node-0000", "gpu-0");
        yard.templated("a");
        yard.await(Map.of("a", "on node-0000 with node-0000/gpu-0"));
        yard.publish("node-0000", "gpu-0 tainted");
        yard.await(Map.of());
        yard.awaitDevices();
        yard.templated("b");
        yard.awaitEvent("Tainted", "pod/b");
        yard.publish("node-0000", "gpu-0 tainted", "gpu-1");
        yard.await(Map.of("b", "on node-0000 with node-0000/gpu-1"));
    }

    private static String rule(String name, String effect) {
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
    void aRuleKeepsClaimsFromItsDeviceOrTakesItsPodOffUntilTheRuleIsGone() throws InterruptedException {
        Yard yard = yard("ruled");
        cluster.apply(rule("suspect", "NoSchedule"));
        yard.publish("node-0000", "gpu-0");
        yard.templated("a");
        yard.awaitEvent("Tainted", "pod/a");
        cluster.kubectl("", "delete", "devicetaintrule", "suspect");
        yard.await(Map.of("a", "on node-0000 with node-0000/gpu-0"));

        cluster.apply(rule("broken", "NoExecute"));
        yard.await(Map.of());
        yard.awaitDevices();
        yard.templated("b");
        yard.awaitEvent("Tainted", "pod/b");
        cluster.kubectl("", "delete", "devicetaintrule", "broken");
        yard.await(Map.of("b", "on node-0000 with node-0000/gpu-0"));
    }

    @Test
    void aDeviceThatIsWithdrawnInUseStaysHeldAndComesBack() throws InterruptedException {
        Yard yard = yard("withdrawn");
        yard.publish("node-0000", "gpu-0", "gpu-1");
        yard.templated("a", "b");
        yard.await(2, stand -> stand.startsWith("on "));
        yard.publish("node-0000", "gpu-1");
        yard.templated("c");
        yard.awaitEvent("DevicesInUse", "pod/c");
        assertThat(yard.devices()).containsExactly("node-0000/gpu-0", "node-0000/gpu-1");
        String held = yard.stands().entrySet().stream()
                .filter(each -> each.getValue().endsWith("gpu-0"))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
        yard.delete(held);
        yard.awaitDevices("node-0000/gpu-1");
        assertThat(yard.stands()).containsEntry("c", "gated");
        yard.publish("node-0000", "gpu-0", "gpu-1");
        yard.await(2, stand -> stand.startsWith("on "));
        assertThat(yard.devices()).containsExactly("node-0000/gpu-0", "node-0000/gpu-1");
    }

    // ---- faults

    @Test
    @Tag("part-2")
    void aServerThatIsDownIsWaitedFor() throws InterruptedException {
        Yard yard = yard("down");
        yard.publish("node-0000", names("gpu-", 4));
        yard.templated(names("before-", 2));
        yard.await(2, stand -> stand.startsWith("on "));
        cluster.plane().kill(ControlPlaneComponent.API_SERVER);
        Slowly.await(() -> on("status").out().contains("does not follow"), "word of the silence");
        TimeUnit.SECONDS.sleep(8); // about ten seconds of downtime together with the wait above
        cluster.plane().start(ControlPlaneComponent.API_SERVER);
        yard.delete("before-0");
        yard.templated(names("after-", 4));
        yard.await(4, stand -> stand.startsWith("on "));
        assertThat(yard.devices()).hasSize(4).doesNotHaveDuplicates();
        yard.delete("before-1");
        yard.await(4, stand -> stand.startsWith("on "));
        assertThat(yard.stands()).hasSize(4);
    }

    @Test
    @Tag("part-4")
    void aServiceThatIsKilledGoesOnWhereItWas() throws IOException, InterruptedException {
        Yard yard = yard("killed");
        yard.publish("node-0000", names("gpu-", 20));
        yard.templated(names("pod-", 30));
        Slowly.await(() -> !yard.devices().isEmpty(), "the first device is given");
        up.kill();
        up.awaitEnd();
        yard.delete(names("pod-", 5));
        up = Kubernetes.up(cluster, folder, data, APART, FEATURES);
        yard.await(20, stand -> stand.startsWith("on "));
        assertThat(yard.devices()).hasSize(20).doesNotHaveDuplicates();
        yard.await(5, "gated"::equals);
    }

    /**
     * An {@code up} without state adopts the allocations of the cluster. It removes the gates of pods whose claims are
     * already allocated and reserved.
     */
    @Test
    @Tag("part-1")
    void aServiceThatHasForgottenEverythingTakesTheClusterAsItIs() throws IOException, InterruptedException {
        Yard yard = yard("lost");
        yard.publish("node-0000", "gpu-0", "gpu-1", "gpu-2");
        yard.templated("a");
        yard.await(1, stand -> stand.startsWith("on "));
        up.kill();
        up.awaitEnd();
        yard.templated("b", "c", "d");
        Slowly.await(() -> yard.claims().size() == 4, "claims of all");
        reserve(yard, "b", "gpu-1");
        Path forgotten = data;
        data = folder.resolve("another");
        up = Kubernetes.up(cluster, folder, data, APART, FEATURES);
        yard.await(3, stand -> stand.startsWith("on "));
        assertThat(yard.stands())
                .containsEntry("b", "on node-0000 with node-0000/gpu-1")
                .containsValue("gated");
        assertThat(yard.devices()).hasSize(3).doesNotHaveDuplicates();

        assertThat(Program.run(folder, cluster.command(forgotten)).err()).contains("is of before");
        yard.delete("a");
        yard.await(3, stand -> stand.startsWith("on "));
        assertThat(yard.stands()).hasSize(3);
    }

    /** Leaves the state of a writer that ends before it removes the gate. */
    private void reserve(Yard yard, String name, String device) {
        Pod pod = yard.pods().stream()
                .filter(each -> each.meta().name().equals(name))
                .findFirst()
                .orElseThrow();
        String claim = yard.claims().stream()
                .map(each -> each.meta().name())
                .filter(each -> each.startsWith(name + "-"))
                .findFirst()
                .orElseThrow();
        yard.allocate(claim, "node-0000", device, pod);
    }

    /**
     * A device is released and allocated again while {@code up} is down. kube-scheduler's own cache is wrong after
     * that; Claimstream's state is not.
     */
    @Test
    @Tag("part-3")
    void aListThatHidesAReleaseAndAnotherAllocationIsUnderstood() throws IOException, InterruptedException {
        Yard yard = yard("relisted");
        yard.publish("node-0000", "gpu-0", "gpu-1");
        yard.templated("a");
        yard.await(1, stand -> stand.startsWith("on "));
        String first = yard.devices().getFirst();
        String other = first.endsWith("0") ? "gpu-1" : "gpu-0";
        Pod pod = yard.pods().getFirst();
        String claim = yard.claims().getFirst().meta().name();
        up.kill();
        up.awaitEnd();
        cluster.plane().stop(ControlPlaneComponent.CONTROLLERS);
        try {
            yard.status(claim, "{\"allocation\":null,\"reservedFor\":null}");
            yard.allocate(claim, "node-0000", other, pod);
        } finally {
            cluster.plane().resume(ControlPlaneComponent.CONTROLLERS);
        }
        up = Kubernetes.up(cluster, folder, data, APART, FEATURES);
        yard.templated("b", "c");
        yard.await(2, stand -> stand.startsWith("on "));
        assertThat(yard.devices()).containsExactly("node-0000/gpu-0", "node-0000/gpu-1");
        assertThat(yard.stands())
                .containsEntry("a", "on node-0000 with node-0000/" + other)
                .containsValue("gated");
    }
}

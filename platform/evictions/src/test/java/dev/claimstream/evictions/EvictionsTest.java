package dev.claimstream.evictions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.KubernetesVersion;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodClaim.ClaimSource;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Taint;
import dev.claimstream.dra.Toleration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests which claims and pods are evicted, and when, by the rules of upstream's device taint eviction controller. */
class EvictionsTest {
    private static final Instant ADDED = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant APPLIED = Instant.parse("2026-02-01T00:00:00Z");
    private static final DeviceId DEVICE = new DeviceId("gpu.example.com", "node-1", "gpu-0");
    private static final Taint BROKEN = taint("NoExecute");

    private static Taint taint(String effect) {
        return new Taint("example.com/broken", "yes", effect, Optional.of(ADDED));
    }

    private static Toleration toleration(String key, String operator, String value, String effect, Long... seconds) {
        return new Toleration(
                key, operator, value, effect, Arrays.stream(seconds).findFirst());
    }

    static Stream<Arguments> tolerations() {
        return Stream.of(
                Arguments.of("nothing is tolerated", List.of(), Optional.of(ADDED)),
                Arguments.of("for ever", List.of(toleration("", "Exists", "", "NoExecute")), Optional.empty()),
                Arguments.of(
                        "by key and value",
                        List.of(toleration("example.com/broken", "Equal", "yes", "NoExecute")),
                        Optional.empty()),
                Arguments.of(
                        "another value",
                        List.of(toleration("example.com/broken", "Equal", "no", "NoExecute")),
                        Optional.of(ADDED)),
                Arguments.of(
                        "an effect of any sort does not count",
                        List.of(toleration("", "Exists", "", "")),
                        Optional.of(ADDED)),
                Arguments.of("another effect", List.of(toleration("", "Exists", "", "NoSchedule")), Optional.of(ADDED)),
                Arguments.of(
                        "for a while",
                        List.of(toleration("", "Exists", "", "NoExecute", 60L)),
                        Optional.of(ADDED.plusSeconds(60))),
                Arguments.of(
                        "the shortest while counts",
                        List.of(
                                toleration("", "Exists", "", "NoExecute", 60L),
                                toleration("example.com/broken", "Exists", "", "NoExecute", 5L)),
                        Optional.of(ADDED.plusSeconds(5))),
                Arguments.of(
                        "less than nothing is nothing",
                        List.of(toleration("", "Exists", "", "NoExecute", -60L)),
                        Optional.of(ADDED)),
                Arguments.of(
                        "for ever beats a while",
                        List.of(
                                toleration("", "Exists", "", "NoExecute", 60L),
                                toleration("", "Exists", "", "NoExecute")),
                        Optional.empty()),
                Arguments.of(
                        "as long as upstream can tell",
                        List.of(toleration("", "Exists", "", "NoExecute", 9_223_372_036L)),
                        Optional.of(ADDED.plusSeconds(9_223_372_036L))),
                Arguments.of(
                        "longer than upstream can tell, so that it wraps around",
                        List.of(toleration("", "Exists", "", "NoExecute", Long.MAX_VALUE)),
                        Optional.of(ADDED.minusSeconds(1))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("tolerations")
    void delaysOrPreventsEvictionByToleration(String name, List<Toleration> tolerations, Optional<Instant> expected) {
        var evictions = of(slice(1, BROKEN), claim("c", tolerations));
        assertThat(evictions)
                .as(name)
                .extracting(Eviction::time)
                .containsExactlyElementsOf(expected.stream().toList());
    }

    @Test
    void evictsOnlyForNoExecute() {
        for (String effect : List.of("NoSchedule", "None", "Sometimes")) {
            assertThat(of(slice(1, taint(effect)), claim("c", List.of()))).isEmpty();
        }
    }

    @Test
    void previewOfSliceKeepsTimeAddedUnlikeRule() {
        var all = new DeviceTaintRule.DeviceTaintSelector(Optional.empty(), Optional.empty(), Optional.empty());
        ResourceClaim claim = claim("c", List.of(toleration("", "Exists", "", "NoExecute", 600L)));
        Taint undated = new Taint("example.com/broken", "", "None", Optional.empty());
        assertThat(preview(slice(1, taint("None")), claim)).isEqualTo(ADDED.plusSeconds(600));
        assertThat(preview(slice(1, undated), claim)).isEqualTo(APPLIED.plusSeconds(600));
        assertThat(preview(rule(Optional.of(all), taint("None")), claim)).isEqualTo(APPLIED.plusSeconds(600));
    }

    private static Instant preview(ClusterObject... objects) {
        return Evictions.ifNoneWereNoExecute(List.of(objects), FeatureGates.all(), APPLIED)
                .getFirst()
                .time();
    }

    @Test
    void usesHighestGenerationOfIncompletePool() {
        assertThat(of(slice(1, BROKEN), slice(2), claim("c", List.of()))).isEmpty();
        assertThat(of(slice(1), slice(2, BROKEN), claim("c", List.of()))).hasSize(1);
    }

    @Test
    void appliesTaintRuleToSelectedDevices() {
        var all = new DeviceTaintRule.DeviceTaintSelector(Optional.empty(), Optional.empty(), Optional.empty());
        var other = new DeviceTaintRule.DeviceTaintSelector(Optional.empty(), Optional.of("node-2"), Optional.empty());
        assertThat(of(rule(Optional.of(all)), claim("c", List.of()))).hasSize(1);
        assertThat(of(rule(Optional.of(other)), claim("c", List.of()))).isEmpty();
        assertThat(of(rule(Optional.empty()), claim("c", List.of())))
                .as("a rule without a selector")
                .isEmpty();
    }

    @Test
    void requiresFeatureGatesForRulesAndTaints() {
        var all = new DeviceTaintRule.DeviceTaintSelector(Optional.empty(), Optional.empty(), Optional.empty());
        List<ClusterObject> ruled = List.of(rule(Optional.of(all)), claim("c", List.of()));
        assertThat(Evictions.of(ruled, FeatureGates.of(KubernetesVersion.V1_36), APPLIED))
                .isEmpty();
        List<ClusterObject> tainted = List.of(slice(1, BROKEN), claim("c", List.of()));
        assertThat(Evictions.of(tainted, FeatureGates.of(KubernetesVersion.V1_36), APPLIED))
                .hasSize(1);
        assertThat(Evictions.of(tainted, FeatureGates.all().with(Feature.DEVICE_TAINTS, false), APPLIED))
                .isEmpty();
    }

    @Test
    void usesEarliestOfSeveralTaints() {
        Taint later = new Taint("example.com/hot", "", "NoExecute", Optional.of(ADDED.plusSeconds(9)));
        Eviction eviction = of(slice(1, later, BROKEN), claim("c", List.of())).getFirst();
        assertThat(eviction.time()).isEqualTo(ADDED);
        assertThat(eviction.causes())
                .extracting(EvictionCause::toString)
                .containsExactly(
                        "example.com/broken=yes:NoExecute of gpu.example.com/node-1/gpu-0 (ResourceSlice s1)",
                        "example.com/hot:NoExecute of gpu.example.com/node-1/gpu-0 (ResourceSlice s1)");
    }

    @Test
    void usesEvaluationTimeForTaintWithoutTime() {
        Taint undated = new Taint("example.com/broken", "", "NoExecute", Optional.empty());
        assertThat(of(slice(1, undated), claim("c", List.of())).getFirst().time())
                .isEqualTo(APPLIED);
    }

    @Test
    void evictsPodWithFirstOfItsClaims() {
        Toleration while60 = toleration("", "Exists", "", "NoExecute", 60L);
        ResourceClaim now = claim("now", List.of());
        ResourceClaim later = claim("later", List.of(while60));
        Pod pod = pod(
                "pod-uid",
                Optional.of("node-1"),
                new ClaimSource.ClaimReference("later"),
                new ClaimSource.ClaimReference("now"));
        List<Eviction> evictions = of(slice(1, BROKEN), now, later, pod);
        assertThat(evictions)
                .extracting(eviction ->
                        eviction.kind().apiName() + " " + eviction.object().name() + " " + eviction.time())
                .containsExactly(
                        "ResourceClaim now " + ADDED, "ResourceClaim later " + ADDED.plusSeconds(60), "Pod p " + ADDED);
        assertThat(evictions.getLast().causes()).hasSize(2);
    }

    static Stream<Arguments> pods() {
        Optional<String> node = Optional.of("node-1");
        return Stream.of(
                Arguments.of(
                        "one that uses the claim", pod("pod-uid", node, new ClaimSource.ClaimReference("c")), true),
                Arguments.of(
                        "one without a node",
                        pod("pod-uid", Optional.empty(), new ClaimSource.ClaimReference("c")),
                        false),
                Arguments.of(
                        "one that is not in reservedFor",
                        pod("other", node, new ClaimSource.ClaimReference("c")),
                        false),
                Arguments.of("one of another claim", pod("pod-uid", node, new ClaimSource.ClaimReference("d")), false),
                Arguments.of(
                        "one whose claim is not made",
                        pod("pod-uid", node, new ClaimSource.TemplateReference("t")),
                        false),
                Arguments.of(
                        "one that needs no claim", pod("pod-uid", node, new ClaimSource.NoClaimNeeded("t")), false),
                Arguments.of(
                        "one that does not own the claim",
                        pod("pod-uid", node, new ClaimSource.GeneratedClaim("t", "c")),
                        false),
                Arguments.of(
                        "one that owns the claim",
                        pod("pod-uid", node, new ClaimSource.GeneratedClaim("t", "owned")),
                        true),
                Arguments.of(
                        "one that is being deleted",
                        withDeletionTimestamp(pod("pod-uid", node, new ClaimSource.ClaimReference("c"))),
                        false));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pods")
    void evictsOnlyPodThatRunsWithClaim(String name, Pod pod, boolean expected) {
        List<Eviction> evictions = of(slice(1, BROKEN), claim("c", List.of()), owned(), pod);
        assertThat(evictions.stream().anyMatch(each -> each.object().name().equals("p")))
                .as(name)
                .isEqualTo(expected);
    }

    @Test
    void evictsMemberOfGroupThatConsumesClaim() {
        ResourceClaim ofGroup =
                claim(ObjectMeta.of("ns", "c", "claim-uid"), List.of(), ClaimConsumer.podGroup("g", "group-uid"));
        Pod member = member("g");
        assertThat(of(slice(1, BROKEN), ofGroup, member))
                .as("the gate is off by default")
                .noneMatch(each -> each.kind() == Kind.POD);
        FeatureGates groups = FeatureGates.defaults().with(Feature.WORKLOAD_RESOURCE_CLAIMS, true);
        assertThat(Evictions.of(List.of(slice(1, BROKEN), ofGroup, member), groups, APPLIED))
                .anyMatch(each -> each.kind() == Kind.POD);
        assertThat(Evictions.of(List.of(slice(1, BROKEN), ofGroup, member("other")), groups, APPLIED))
                .noneMatch(each -> each.kind() == Kind.POD);
    }

    private static Pod member(String group) {
        return Pod.builder(ObjectMeta.of("ns", "p", "pod-uid"))
                .nodeName(Optional.of("node-1"))
                .resourceClaims(List.of(new PodClaim("x", new ClaimSource.ClaimReference("c"))))
                .podGroup(Optional.of(group))
                .build();
    }

    private static List<Eviction> of(ClusterObject... objects) {
        return Evictions.of(List.of(objects), FeatureGates.defaults(), APPLIED);
    }

    private static ResourceSlice slice(long generation, Taint... taints) {
        Device device =
                Device.of(DEVICE.device(), new TreeMap<>(), new TreeMap<>()).withTaints(List.of(taints));
        return ResourceSlice.builder(
                        ObjectMeta.of("", "s" + generation, "s" + generation), DEVICE.driver(), DEVICE.pool())
                .generation(generation)
                .resourceSliceCount(3)
                .scope(new NodeScope.AllNodes())
                .devices(List.of(device))
                .build();
    }

    private static DeviceTaintRule rule(Optional<DeviceTaintRule.DeviceTaintSelector> selector) {
        return rule(selector, BROKEN);
    }

    private static DeviceTaintRule rule(Optional<DeviceTaintRule.DeviceTaintSelector> selector, Taint taint) {
        return new DeviceTaintRule(ObjectMeta.of("", "r", "r"), selector, taint);
    }

    private static ResourceClaim claim(String name, List<Toleration> tolerations) {
        return claim(ObjectMeta.of("ns", name, name), tolerations);
    }

    private static ResourceClaim owned() {
        ObjectMeta meta = ObjectMeta.builder("ns", "owned", "owned")
                .controller(Optional.of(Owner.pod("p", "pod-uid")))
                .build();
        return claim(meta, List.of());
    }

    private static ResourceClaim claim(ObjectMeta meta, List<Toleration> tolerations) {
        return claim(meta, tolerations, ClaimConsumer.pod("p", "pod-uid"));
    }

    private static ResourceClaim claim(ObjectMeta meta, List<Toleration> tolerations, ClaimConsumer consumer) {
        DeviceResult result =
                DeviceResult.builder("gpu", DEVICE).tolerations(tolerations).build();
        Allocation allocation = new Allocation(List.of(result), List.of(), Optional.empty(), Optional.empty());
        return new ResourceClaim(
                meta, new ClaimSpec(List.of(), List.of(), List.of()), Optional.of(allocation), List.of(consumer));
    }

    private static Pod withDeletionTimestamp(Pod pod) {
        ObjectMeta meta = pod.meta();
        var deleting = meta.toBuilder().deleting(true).build();
        return pod(deleting, pod.nodeName(), pod.resourceClaims());
    }

    private static Pod pod(String uid, Optional<String> node, ClaimSource... sources) {
        return pod(
                ObjectMeta.of("ns", "p", uid),
                node,
                Arrays.stream(sources).map(source -> new PodClaim("x", source)).toList());
    }

    private static Pod pod(ObjectMeta meta, Optional<String> node, List<PodClaim> claims) {
        return Pod.builder(meta).nodeName(node).resourceClaims(claims).build();
    }
}

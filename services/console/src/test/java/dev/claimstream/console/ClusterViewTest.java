package dev.claimstream.console;

import static dev.claimstream.console.SmallCluster.claim;
import static dev.claimstream.console.SmallCluster.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the state of claims and devices that the view derives from records of watcher, agent and allocator. */
class ClusterViewTest {
    private final SmallCluster cluster = SmallCluster.ofOneNode();
    private final ClusterView world = cluster.world;

    private ClaimView view(String claim) {
        return world.read(moment -> moment.claim(key(claim))).orElseThrow();
    }

    private List<ObjectKey> claims() {
        return world.read(moment -> moment.claims().map(ClaimView::key).toList());
    }

    private List<String> devices() {
        return world.read(InventoryView::of).devices().stream()
                .map(device -> "%s %s %s%s"
                        .formatted(
                                device.id().device(),
                                device.state().text(),
                                device.claims(),
                                device.reason().isEmpty() ? "" : " " + device.reason()))
                .toList();
    }

    @Test
    void aClaimIsPendingThenGrantedThenCommitted() {
        cluster.shows(claim("a"));
        assertThat(view("a").state()).isEqualTo(ClaimView.State.UNPROCESSED);
        cluster.grants("a", "gpu-1");
        assertThat(view("a").state()).isEqualTo(ClaimView.State.ALLOCATED);
        assertThat(view("a").isCommitted()).isFalse();
        assertThat(devices()).containsExactly("gpu-0 free []", "gpu-1 held [default/a]");
        cluster.commits("a", "gpu-1");
        assertThat(view("a").isCommitted()).isTrue();
        assertThat(view("a").result().hasPriorAllocation()).isFalse();
    }

    @Test
    void aDeviceIsHeldUntilItIsReleasedAlsoWhereItsClaimIsGone() {
        cluster.shows(claim("a"));
        cluster.grants("a", "gpu-1");
        cluster.withdraws(Kind.RESOURCE_CLAIM, key("a"));
        assertThat(claims()).isEmpty();
        assertThat(devices()).containsExactly("gpu-0 free []", "gpu-1 held [default/a]");
        cluster.releases("a");
        assertThat(devices()).containsExactly("gpu-0 free []", "gpu-1 free []");
    }

    @Test
    void aDeviceThatIsToBeGivenBackIsHeldUntilItIs() {
        cluster.shows(claim("a"));
        cluster.revokes("a", "gpu-1");
        assertThat(devices()).containsExactly("gpu-0 free []", "gpu-1 held [default/a]");
        cluster.releases("a");
        assertThat(devices()).containsExactly("gpu-0 free []", "gpu-1 free []");
    }

    @Test
    void podsAreThoseThatHaveAClaimOrTheOneThatWaits() {
        cluster.shows(claim("a"));
        assertThat(view("a").pods()).isEmpty();
        cluster.shows(claim("made").replace("name: made", "name: made, ownerReferences: [" + OWNER + "]"));
        assertThat(view("made").pods()).containsExactly("trainer");
        cluster.commits("foreign", "gpu-0", ClaimConsumer.pod("one", "1"), ClaimConsumer.podGroup("gang", "2"));
        assertThat(view("foreign").pods()).containsExactly("one", "podgroups/gang");
        cluster.letsWait("made");
        assertThat(view("made").pods()).containsExactly("trainer");
        cluster.commits("made", "gpu-1");
        assertThat(view("made").pods()).as("nobody has it").isEmpty();
    }

    private static final String OWNER = "{apiVersion: v1, kind: Pod, name: trainer, uid: trainer, controller: true}";

    @Test
    void aClaimThatCameAllocatedHoldsItsDevices() {
        cluster.commits("foreign", "gpu-0");
        assertThat(view("foreign").result().hasPriorAllocation()).isTrue();
        assertThat(devices()).containsExactly("gpu-0 held [default/foreign]", "gpu-1 free []");
    }

    /** When a pod joins, the allocator publishes a decision for the unmanaged claim. */
    @Test
    void aClaimOfAClassOfOthersIsNotShownAsOurDecision() {
        cluster.shows(1, ((DeviceClass) SmallCluster.object("""
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: gpu.example.com, uid: class}
                spec: {}
                """)).asUnmanaged());
        cluster.shows(claim("a"));
        assertThat(view("a").isUnmanagedAllocation())
                .as("nobody allocated it yet")
                .isFalse();
        cluster.commits("a", "gpu-1", ClaimConsumer.pod("one", "1"));
        String text = """
                claim default/a: granted on node-1, but not by us: another allocated it, class gpu.example.com is not one of ours
                  gpu: gpu.example.com/node-1/gpu-1
                """;
        assertThat(ExplanationText.of(view("a").result())).isEqualTo(text);
        cluster.grants("a", "gpu-1");
        assertThat(ExplanationText.of(view("a").result())).isEqualTo(text);
        assertThat(ExplanationJson.of(view("a").result()))
                .contains("\"allocatedByOthers\": true", "\"message\": \"class gpu.example.com is not one of ours\"")
                .doesNotContain("\"choice\"");
        assertThat(ClaimJson.summary(view("a")).json())
                .contains(
                        "\"allocatedByOthers\":true",
                        "\"message\":\"another allocated it: class gpu.example.com is not one of ours\"")
                .doesNotContain("\"because\"", "\"decision\"");
        cluster.shows(1, SmallCluster.object("""
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: gpu.example.com, uid: class}
                spec: {}
                """));
        assertThat(ExplanationText.of(view("a").result())).contains("because: the only node that fits");
    }

    /** Holds for a console that received every decision, and for one that received only the last record of each key. */
    @Test
    void aClaimThatWasGivenItsDevicesAloneIsExplainedByThatWhenAPodHasJoined() {
        cluster.shows(claim("a"));
        cluster.grants("a", "gpu-1");
        cluster.joins("a", "gpu-1", "trainer");
        assertThat(ExplanationText.of(view("a").result()))
                .contains("decided as: claim default/a", "the only node that fits");
        SmallCluster later = SmallCluster.ofOneNode();
        later.shows(claim("a"));
        later.joins("a", "gpu-1", "trainer");
        later.grantIsExplained("a");
        assertThat(ExplanationText.of(later.world
                        .read(moment -> moment.claim(key("a")))
                        .orElseThrow()
                        .result()))
                .contains("decided as: claim default/a", "the only node that fits");
    }

    /** The managed flag comes from the source, not from the class itself. */
    @Test
    void aClassThatBecomesOursIsSo() {
        cluster.shows(claim("a"));
        cluster.commits("a", "gpu-1");
        DeviceClass found = (DeviceClass) SmallCluster.object("""
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: gpu.example.com, uid: class}
                spec: {}
                """);
        cluster.shows(1, found.asUnmanaged());
        assertThat(view("a").isUnmanagedAllocation()).isTrue();
        cluster.showsAgain(1, found);
        assertThat(view("a").isUnmanagedAllocation())
                .as("told twice by one list")
                .isTrue();
        cluster.showsAgain(2, found);
        assertThat(view("a").isUnmanagedAllocation()).isFalse();
        cluster.showsAgain(3, found.asUnmanaged());
        assertThat(view("a").isUnmanagedAllocation()).isTrue();
    }

    @Test
    void aGrantThatIsReleasedHoldsNothing() {
        cluster.shows(claim("a"));
        cluster.grants("a", "gpu-1");
        cluster.releases("a");
        assertThat(devices()).containsExactly("gpu-0 free []", "gpu-1 free []");
        assertThat(view("a").state()).isEqualTo(ClaimView.State.UNPROCESSED);
    }

    @Test
    void aListOfANewerEpochSweepsWhatItDidNotShow() {
        cluster.shows(claim("a"));
        cluster.shows(claim("b"));
        cluster.shows(2, SmallCluster.object(claim("b")));
        cluster.lists(2, Kind.RESOURCE_CLAIM);
        assertThat(claims()).containsExactly(key("b"));
        world.observe(new Observation.ObjectUpserted(
                new Stamp("watcher", 1, 1), SmallCluster.object(claim("a")))); // late record
        assertThat(claims()).containsExactly(key("b"));
        cluster.shows(1, SmallCluster.object(claim("c"))); // a new object, from a watcher with an older list
        assertThat(claims()).containsExactly(key("b"), key("c"));
    }

    @Test
    void whatCameAfterAListWasReadIsNotSweptByIt() {
        cluster.shows(claim("a"));
        world.observe(new Observation.KindSynced(new Stamp("watcher", 2, 1), Kind.RESOURCE_CLAIM, 0, 1));
        assertThat(claims()).containsExactly(key("a"));
    }

    @Test
    void aListSweepsOnlyOnceItHasArrivedFromAllPartitions() {
        cluster.shows(claim("a"));
        world.observe(new Observation.KindSynced(new Stamp("watcher", 2, 9), Kind.RESOURCE_CLAIM, 0, 2));
        assertThat(claims()).hasSize(1);
        world.observe(new Observation.KindSynced(new Stamp("watcher", 2, 9), Kind.RESOURCE_CLAIM, 1, 2));
        assertThat(claims()).isEmpty();
    }

    @Test
    void anotherSourceTakesNothingAway() {
        cluster.shows(claim("a"));
        world.observe(new Observation.ObjectDeleted(new Stamp("somebody", 9, 99), Kind.RESOURCE_CLAIM, key("a"), "a"));
        assertThat(claims()).hasSize(1);
    }

    @Test
    void whatKeepsADeviceFromBeingGivenIsSaid() {
        cluster.shows("""
                apiVersion: resource.k8s.io/v1
                kind: DeviceTaintRule
                metadata: {name: bad, uid: bad}
                spec: {deviceSelector: {device: gpu-0}, taint: {key: example.com/bad, effect: NoSchedule}}
                """);
        assertThat(devices()).containsExactly("gpu-0 tainted [] example.com/bad:NoSchedule", "gpu-1 free []");
        cluster.shows(SmallCluster.NODE + "spec: {unschedulable: true}\n");
        assertThat(devices())
                .containsExactly(
                        "gpu-0 unusable [] node node-1 is Ready,SchedulingDisabled",
                        "gpu-1 unusable [] node node-1 is Ready,SchedulingDisabled");
        cluster.shows(SmallCluster.NODE);
        world.observe(new Observation.NodeLiveness(new Stamp("agent", 1, 1), "node-1", true));
        assertThat(devices()).allMatch(line -> line.endsWith("node node-1 is Ready,Silent"));
    }

    @Test
    void aGenerationThatIsHalfThereIsOfNoUse() {
        cluster.shows(SmallCluster.SLICE.replace(
                "generation: 1, resourceSliceCount: 1", "generation: 2, resourceSliceCount: 2"));
        assertThat(devices())
                .containsExactly(
                        "gpu-0 unusable [] 1 of 2 slices of generation 2 are there",
                        "gpu-1 unusable [] 1 of 2 slices of generation 2 are there");
    }

    @Test
    void aDeviceThatVanishesWhileHeldStaysHeld() {
        cluster.shows(claim("a"));
        cluster.grants("a", "gpu-1");
        cluster.withdraws(Kind.RESOURCE_SLICE, ObjectKey.cluster("slice-1"));
        assertThat(devices()).containsExactly("gpu-1 held [default/a] no slice shows it");
    }

    @Test
    void whoFollowsIsToldWhatLooksOtherThanItDid() throws Exception {
        List<String> told = new ArrayList<>();
        cluster.shows(claim("a"));
        AutoCloseable following = world.subscribe(
                (sort, key, summary) ->
                        told.add(sort + " " + key.name() + " " + summary.replaceAll(".*\"state\":\"(\\w+)\".*", "$1")),
                true);
        cluster.letsWait("a");
        cluster.shows(claim("a")); // unchanged
        cluster.shows(claim("b"));
        cluster.withdraws(Kind.RESOURCE_CLAIM, key("a"));
        following.close();
        cluster.shows(claim("c"));
        assertThat(told).containsExactly("ADDED a pending", "MODIFIED a waits", "ADDED b pending", "DELETED a waits");
    }
}

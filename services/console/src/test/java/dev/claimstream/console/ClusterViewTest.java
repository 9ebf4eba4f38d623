package dev.claimstream.console;

import static dev.claimstream.console.SmallCluster.claim;
import static dev.claimstream.console.SmallCluster.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.allocation.solver.Reason;
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
    private final ClusterView clusterView = cluster.view;

    private ClaimView claimView(String claim) {
        return clusterView.read(moment -> moment.claim(key(claim))).orElseThrow();
    }

    private List<ObjectKey> claims() {
        return clusterView.read(moment -> moment.claims().map(ClaimView::key).toList());
    }

    private List<String> devices() {
        return clusterView.read(InventoryView::of).devices().stream()
                .map(device -> "%s %s %s%s"
                        .formatted(
                                device.id().device(),
                                device.state().text(),
                                device.claims(),
                                device.reason().isEmpty() ? "" : " " + device.reason()))
                .toList();
    }

    @Test
    void showsPendingThenAllocatedThenCommitted() {
        cluster.upsert(claim("a"));
        assertThat(claimView("a").state()).isEqualTo("pending");
        cluster.allocate("a", "gpu-1");
        assertThat(claimView("a").state()).isEqualTo("allocated");
        assertThat(claimView("a").isCommitted()).isFalse();
        assertThat(devices()).containsExactly("gpu-0 free []", "gpu-1 allocated [default/a]");
        cluster.commit("a", "gpu-1");
        assertThat(claimView("a").isCommitted()).isTrue();
        assertThat(claimView("a").result().hasPriorAllocation()).isFalse();
        cluster.joinPod("a", "gpu-1", "one");
        assertThat(claimView("a").state()).isEqualTo("allocated,reserved");
        assertThat(ExplanationText.firstLine(claimView("a").result()))
                .isEqualTo("claim default/a: allocated,reserved on node-1");
    }

    @Test
    void explainsClaimWithoutDecisionAsUnprocessed() {
        cluster.upsert(claim("a"));
        assertThat(ExplanationText.firstLine(claimView("a").result()))
                .isEqualTo("claim default/a: pending, Unprocessed");
    }

    @Test
    void claimInDeletionWithoutDecisionHasNoReason() {
        cluster.upsert(claim("a").replace("name: a", "name: a, deletionTimestamp: \"2026-03-01T12:00:00Z\""));
        assertThat(ExplanationText.firstLine(claimView("a").result())).isEqualTo("claim default/a: deleted");
        assertThat(ClaimJson.summary(claimView("a")).json())
                .contains("\"state\":\"deleted\"")
                .doesNotContain("\"reason\"", "\"message\"");
        cluster.setPending("a", Reason.DevicesInUse, "1 wanted, 0 free");
        assertThat(ExplanationText.firstLine(claimView("a").result()))
                .isEqualTo("claim default/a: deleted, DevicesInUse");
    }

    @Test
    void showsExhaustedSearchBudgetAsReasonOfPendingClaim() {
        cluster.upsert(claim("a"));
        cluster.setPending("a", Reason.SearchBudgetExhausted, "the search budget is exhausted");
        assertThat(claimView("a").state()).isEqualTo("pending");
        ClaimResult result = claimView("a").result();
        assertThat(result.state()).isEqualTo(ClaimResult.ResultState.PENDING);
        assertThat(ExplanationText.firstLine(result)).isEqualTo("claim default/a: pending, SearchBudgetExhausted");
        assertThat(conditionStatus(result)).isEqualTo("Unknown");
        cluster.setPending("a", Reason.DevicesInUse, "1 wanted, 0 free");
        assertThat(conditionStatus(claimView("a").result())).isEqualTo("False");
    }

    private static String conditionStatus(ClaimResult result) {
        return ClaimDocuments.yaml(List.of(result))
                .lines()
                .filter(line -> line.contains("claimstream.dev/condition-status: "))
                .map(line -> line.replaceAll(".*: |\"", ""))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void keepsDeviceHeldUntilReleaseAfterDeletion() {
        cluster.upsert(claim("a"));
        cluster.allocate("a", "gpu-1");
        cluster.delete(Kind.RESOURCE_CLAIM, key("a"));
        assertThat(claims()).isEmpty();
        assertThat(devices()).containsExactly("gpu-0 free []", "gpu-1 allocated [default/a]");
        cluster.release("a");
        assertThat(devices()).containsExactly("gpu-0 free []", "gpu-1 free []");
    }

    @Test
    void keepsRevokedDeviceHeldUntilRelease() {
        cluster.upsert(claim("a"));
        cluster.revoke("a", "gpu-1");
        assertThat(devices()).containsExactly("gpu-0 free []", "gpu-1 allocated [default/a]");
        cluster.release("a");
        assertThat(devices()).containsExactly("gpu-0 free []", "gpu-1 free []");
    }

    @Test
    void listsConsumersOrPendingOwnerPod() {
        cluster.upsert(claim("a"));
        assertThat(claimView("a").pods()).isEmpty();
        cluster.upsert(claim("made").replace("name: made", "name: made, ownerReferences: [" + OWNER + "]"));
        assertThat(claimView("made").pods()).containsExactly("trainer");
        cluster.commit("foreign", "gpu-0", ClaimConsumer.pod("one", "1"), ClaimConsumer.podGroup("gang", "2"));
        assertThat(claimView("foreign").pods()).containsExactly("one", "podgroups/gang");
        cluster.setPending("made");
        assertThat(claimView("made").pods()).containsExactly("trainer");
        cluster.commit("made", "gpu-1");
        assertThat(claimView("made").pods()).as("no pod uses it").isEmpty();
    }

    private static final String OWNER = "{apiVersion: v1, kind: Pod, name: trainer, uid: trainer, controller: true}";

    @Test
    void showsPriorAllocationAsHeld() {
        cluster.commit("foreign", "gpu-0");
        assertThat(claimView("foreign").result().hasPriorAllocation()).isTrue();
        assertThat(devices()).containsExactly("gpu-0 allocated [default/foreign]", "gpu-1 free []");
    }

    /** When a pod joins, the allocator publishes a decision for the unmanaged claim. */
    @Test
    void showsUnmanagedAllocation() {
        cluster.upsert(1, ((DeviceClass) SmallCluster.object("""
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: gpu.example.com, uid: class}
                spec: {}
                """)).asUnmanaged());
        cluster.upsert(claim("a"));
        assertThat(claimView("a").isUnmanagedAllocation())
                .as("not allocated yet")
                .isFalse();
        cluster.commit("a", "gpu-1", ClaimConsumer.pod("one", "1"));
        String text = """
                claim default/a: allocated,reserved on node-1 by another client, class gpu.example.com is unmanaged
                  gpu: gpu.example.com/node-1/gpu-1
                """;
        assertThat(ExplanationText.of(claimView("a").result())).isEqualTo(text);
        cluster.joinPod("a", "gpu-1", "one");
        assertThat(ExplanationText.of(claimView("a").result())).isEqualTo(text);
        assertThat(ExplanationJson.of(claimView("a").result()))
                .contains("\"unmanaged\": true", "\"message\": \"class gpu.example.com is unmanaged\"")
                .doesNotContain("\"choice\"");
        assertThat(ClaimJson.summary(claimView("a")).json())
                .contains(
                        "\"unmanaged\":true",
                        "\"message\":\"another client allocated it: class gpu.example.com is unmanaged\"")
                .doesNotContain("\"rationale\"", "\"decision\"");
        cluster.upsert(1, SmallCluster.object("""
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: gpu.example.com, uid: class}
                spec: {}
                """));
        assertThat(ExplanationText.of(claimView("a").result())).contains("because: given before");
    }

    /** Holds for a console that received every decision, and for one that received only the last record of each key. */
    @Test
    void keepsOriginalExplanationWhenPodJoins() {
        cluster.upsert(claim("a"));
        cluster.allocate("a", "gpu-1");
        cluster.joinPod("a", "gpu-1", "trainer");
        assertThat(ExplanationText.of(claimView("a").result()))
                .contains("decided as: claim default/a", "the only node that fits");
        SmallCluster later = SmallCluster.ofOneNode();
        later.upsert(claim("a"));
        later.joinPod("a", "gpu-1", "trainer");
        later.explainAllocation("a");
        assertThat(ExplanationText.of(later.view
                        .read(moment -> moment.claim(key("a")))
                        .orElseThrow()
                        .result()))
                .contains("decided as: claim default/a", "the only node that fits");
    }

    /** The managed flag comes from the source, not from the class itself. */
    @Test
    void updatesManagedStateOfClass() {
        cluster.upsert(claim("a"));
        cluster.commit("a", "gpu-1");
        DeviceClass found = (DeviceClass) SmallCluster.object("""
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: gpu.example.com, uid: class}
                spec: {}
                """);
        cluster.upsert(1, found.asUnmanaged());
        assertThat(claimView("a").isUnmanagedAllocation()).isTrue();
        cluster.upsertAgain(1, found);
        assertThat(claimView("a").isUnmanagedAllocation())
                .as("told twice by one list")
                .isTrue();
        cluster.upsertAgain(2, found);
        assertThat(claimView("a").isUnmanagedAllocation()).isFalse();
        cluster.upsertAgain(3, found.asUnmanaged());
        assertThat(claimView("a").isUnmanagedAllocation()).isTrue();
    }

    @Test
    void showsReleasedDeviceAsFree() {
        cluster.upsert(claim("a"));
        assertThat(claimView("a").isUnprocessed()).isTrue();
        cluster.allocate("a", "gpu-1");
        assertThat(claimView("a").isUnprocessed()).isFalse();
        cluster.release("a");
        assertThat(devices()).containsExactly("gpu-0 free []", "gpu-1 free []");
        assertThat(claimView("a").state()).isEqualTo("pending");
        assertThat(claimView("a").isUnprocessed()).isFalse();
    }

    @Test
    void syncRemovesObjectsOfOlderEpoch() {
        cluster.upsert(claim("a"));
        cluster.upsert(claim("b"));
        cluster.upsert(2, SmallCluster.object(claim("b")));
        cluster.sync(2, Kind.RESOURCE_CLAIM);
        assertThat(claims()).containsExactly(key("b"));
        clusterView.observe(new Observation.ObjectUpserted(
                new Stamp("watcher", 1, 1), SmallCluster.object(claim("a")))); // late record
        assertThat(claims()).containsExactly(key("b"));
        cluster.upsert(1, SmallCluster.object(claim("c"))); // a new object, from a watcher with an older list
        assertThat(claims()).containsExactly(key("b"), key("c"));
    }

    @Test
    void syncKeepsObjectsUpsertedAfterIt() {
        cluster.upsert(claim("a"));
        clusterView.observe(new Observation.KindSynced(new Stamp("watcher", 2, 1), Kind.RESOURCE_CLAIM, 0, 1));
        assertThat(claims()).containsExactly(key("a"));
    }

    @Test
    void syncRemovesOnlyAfterAllPartitions() {
        cluster.upsert(claim("a"));
        clusterView.observe(new Observation.KindSynced(new Stamp("watcher", 2, 9), Kind.RESOURCE_CLAIM, 0, 2));
        assertThat(claims()).hasSize(1);
        clusterView.observe(new Observation.KindSynced(new Stamp("watcher", 2, 9), Kind.RESOURCE_CLAIM, 1, 2));
        assertThat(claims()).isEmpty();
    }

    @Test
    void ignoresDeletionOfAnotherSource() {
        cluster.upsert(claim("a"));
        clusterView.observe(
                new Observation.ObjectDeleted(new Stamp("other", 9, 99), Kind.RESOURCE_CLAIM, key("a"), "a"));
        assertThat(claims()).hasSize(1);
    }

    @Test
    void showsReasonOfUnusableDevice() {
        cluster.upsert("""
                apiVersion: resource.k8s.io/v1
                kind: DeviceTaintRule
                metadata: {name: bad, uid: bad}
                spec: {deviceSelector: {device: gpu-0}, taint: {key: example.com/bad, effect: NoSchedule}}
                """);
        assertThat(devices()).containsExactly("gpu-0 tainted [] example.com/bad:NoSchedule", "gpu-1 free []");
        cluster.upsert(SmallCluster.NODE + "spec: {unschedulable: true}\n");
        assertThat(devices())
                .containsExactly(
                        "gpu-0 unusable [] node node-1 is Ready,SchedulingDisabled",
                        "gpu-1 unusable [] node node-1 is Ready,SchedulingDisabled");
        cluster.upsert(SmallCluster.NODE);
        clusterView.observe(new Observation.NodeLiveness(new Stamp("agent", 1, 1), "node-1", true));
        assertThat(devices()).allMatch(line -> line.endsWith("node node-1 is Ready,Silent"));
    }

    @Test
    void showsIncompletePoolAsUnusable() {
        cluster.upsert(SmallCluster.SLICE.replace(
                "generation: 1, resourceSliceCount: 1", "generation: 2, resourceSliceCount: 2"));
        assertThat(devices())
                .containsExactly(
                        "gpu-0 unusable [] 1 of 2 slices of generation 2 are published",
                        "gpu-1 unusable [] 1 of 2 slices of generation 2 are published");
    }

    @Test
    void keepsUnpublishedDeviceHeld() {
        cluster.upsert(claim("a"));
        cluster.allocate("a", "gpu-1");
        cluster.delete(Kind.RESOURCE_SLICE, ObjectKey.cluster("slice-1"));
        assertThat(devices()).containsExactly("gpu-1 allocated [default/a] no ResourceSlice contains it");
    }

    @Test
    void notifiesSubscriberOfChangedSummary() throws Exception {
        List<String> events = new ArrayList<>();
        cluster.upsert(claim("a"));
        AutoCloseable subscription = clusterView.subscribe(
                (kind, number, key, summary) -> events.add(number + " " + kind + " " + key.name() + " "
                        + summary.replaceAll(".*\"reason\":\"(\\w+)\".*", "$1")),
                true);
        cluster.setPending("a");
        cluster.upsert(claim("a")); // unchanged
        cluster.upsert(claim("b"));
        cluster.delete(Kind.RESOURCE_CLAIM, key("a"));
        subscription.close();
        cluster.upsert(claim("c"));
        assertThat(events)
                .containsExactly(
                        "0 ADDED a Unprocessed",
                        "1 MODIFIED a DevicesInUse",
                        "2 ADDED b Unprocessed",
                        "3 DELETED a DevicesInUse");
    }
}

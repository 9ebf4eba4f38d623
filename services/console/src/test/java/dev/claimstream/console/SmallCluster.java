package dev.claimstream.console;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.manifests.ManifestReadResult;
import dev.claimstream.manifests.Manifests;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A cluster with one node and two GPUs. The test applies records of a watcher and an allocator to the view, in any
 * order.
 */
final class SmallCluster {
    static final String NODE = """
            apiVersion: v1
            kind: Node
            metadata: {name: node-1, uid: node-1}
            """;
    static final String SLICE = """
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: slice-1, uid: slice-1}
            spec:
              driver: gpu.example.com
              nodeName: node-1
              pool: {name: node-1, generation: 1, resourceSliceCount: 1}
              devices:
              - name: gpu-0
                attributes: {model: {string: A}, index: {int: 0}, "example.com/fast": {bool: true}}
                capacity: {memory: {value: 80Gi}}
              - name: gpu-1
            """;
    static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");
    private static final String SOURCE = "watcher";

    final ClusterView view = new ClusterView();
    private long version;
    private long number;

    static SmallCluster ofOneNode() {
        var cluster = new SmallCluster();
        cluster.upsert(NODE);
        cluster.upsert(SLICE);
        return cluster;
    }

    static String claim(String name) {
        return """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: %1$s, namespace: default, uid: %1$s, creationTimestamp: "2025-12-31T23:55:00Z"}
                spec:
                  devices:
                    requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]
                """.formatted(name);
    }

    static ClusterObject object(String manifest) {
        ManifestReadResult reading = Manifests.read("test", manifest);
        if (!reading.findings().isEmpty()) {
            throw new IllegalArgumentException(reading.findings().toString());
        }
        return reading.objects().getFirst();
    }

    void upsert(String manifest) {
        upsert(1, object(manifest));
    }

    void upsert(long epoch, ClusterObject object) {
        view.observe(new Observation.ObjectUpserted(new Stamp(SOURCE, epoch, ++version), object));
    }

    /** Repeats the last change with the same version, as another list does. */
    void upsertAgain(long epoch, ClusterObject object) {
        view.observe(new Observation.ObjectUpserted(new Stamp(SOURCE, epoch, version), object));
    }

    void delete(Kind kind, ObjectKey key) {
        view.observe(new Observation.ObjectDeleted(new Stamp(SOURCE, 1, ++version), kind, key, key.name()));
    }

    void sync(long epoch, Kind kind) {
        view.observe(new Observation.KindSynced(new Stamp(SOURCE, epoch, ++version), kind, 0, 1));
    }

    static ObjectKey key(String claim) {
        return new ObjectKey("default", claim);
    }

    static Allocation allocation(String device) {
        return new Allocation(
                List.of(DeviceResult.of("gpu", new DeviceId("gpu.example.com", "node-1", device))),
                List.of(),
                Optional.of(NodeSelector.ofNode("node-1")),
                Optional.of(AT));
    }

    void allocate(String claim, String device) {
        var item = ItemId.claim(key(claim));
        applyDecision(claim, item, new Decision.DecisionResult.Allocated("node-1", allocation(device), List.of()));
        explainAllocation(claim);
    }

    /** Applies the explanation of an allocation of the claim alone. */
    void explainAllocation(String claim) {
        view.applyExplanation(new Explanation(
                ItemId.claim(key(claim)),
                List.of(key(claim)),
                7,
                new Explanation.ExplanationDetail.Allocated(
                        "node-1",
                        new AllocationPlan.NodeChoice(
                                PlacementPolicy.BEST_FIT, 1, "the only node that fits", Optional.empty(), ""))));
    }

    /** Adds a pod to the consumers of an allocated claim. */
    void joinPod(String claim, String device, String pod) {
        var item = ItemId.pod(key(pod));
        applyDecision(
                claim,
                item,
                new Decision.DecisionResult.Allocated(
                        "node-1", allocation(device), List.of(ClaimConsumer.pod(pod, pod))));
        view.applyExplanation(new Explanation(
                item,
                List.of(key(claim)),
                0,
                new Explanation.ExplanationDetail.Allocated(
                        "node-1",
                        new AllocationPlan.NodeChoice(
                                PlacementPolicy.BEST_FIT, 0, "given before", Optional.empty(), ""))));
    }

    void setPending(String claim) {
        setPending(claim, Reason.DevicesInUse, "1 wanted, 0 free");
    }

    /** Makes a claim pending for a reason. */
    void setPending(String claim, Reason reason, String message) {
        var item = ItemId.claim(key(claim));
        applyDecision(claim, item, new Decision.DecisionResult.Pending(reason, message));
        view.applyExplanation(new Explanation(
                item,
                List.of(key(claim)),
                9,
                new Explanation.ExplanationDetail.Pending(
                        new AllocationPlan.PendingDiagnosis(reason, message, Optional.empty()), List.of())));
    }

    /** Revokes the allocation of a claim. */
    void revoke(String claim, String device) {
        var given = new Decision.DecisionResult.Allocated("node-1", allocation(device), List.of());
        applyDecision(
                claim, ItemId.claim(key(claim)), new Decision.DecisionResult.Revoked(given, "the device is gone"));
    }

    void release(String claim) {
        applyDecision(claim, ItemId.claim(key(claim)), new Decision.DecisionResult.Released());
    }

    private void applyDecision(String claim, ItemId item, Decision.DecisionResult result) {
        view.applyDecision(new Decision(key(claim), claim, ++number, item, result), AT);
    }

    /** Sets the status of a claim, as a writer does. */
    void commit(String claim, String device, ClaimConsumer... consumers) {
        var before = (ResourceClaim) object(claim(claim));
        upsert(1, new ResourceClaim(before.meta(), before.spec(), Optional.of(allocation(device)), List.of(consumers)));
    }
}

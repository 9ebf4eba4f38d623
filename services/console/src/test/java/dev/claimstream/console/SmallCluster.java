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

    final ClusterView world = new ClusterView();
    private long version;
    private long number;

    static SmallCluster ofOneNode() {
        var cluster = new SmallCluster();
        cluster.shows(NODE);
        cluster.shows(SLICE);
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

    void shows(String manifest) {
        shows(1, object(manifest));
    }

    void shows(long epoch, ClusterObject object) {
        world.observe(new Observation.ObjectUpserted(new Stamp(SOURCE, epoch, ++version), object));
    }

    /** Repeats the last change with the same version, as another list does. */
    void showsAgain(long epoch, ClusterObject object) {
        world.observe(new Observation.ObjectUpserted(new Stamp(SOURCE, epoch, version), object));
    }

    void withdraws(Kind kind, ObjectKey key) {
        world.observe(new Observation.ObjectDeleted(new Stamp(SOURCE, 1, ++version), kind, key, key.name()));
    }

    void lists(long epoch, Kind kind) {
        world.observe(new Observation.KindSynced(new Stamp(SOURCE, epoch, ++version), kind, 0, 1));
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

    void grants(String claim, String device) {
        var item = ItemId.claim(key(claim));
        decides(claim, item, new Decision.DecisionResult.Allocated("node-1", allocation(device), List.of()));
        grantIsExplained(claim);
    }

    /** Applies the explanation of an allocation of the claim alone. */
    void grantIsExplained(String claim) {
        world.applyExplanation(new Explanation(
                ItemId.claim(key(claim)),
                List.of(key(claim)),
                7,
                new Explanation.ExplanationDetail.Allocated(
                        "node-1",
                        new AllocationPlan.NodeChoice(
                                PlacementPolicy.BEST_FIT, 1, "the only node that fits", Optional.empty(), ""))));
    }

    /** Adds a pod to the consumers of an allocated claim. */
    void joins(String claim, String device, String pod) {
        var item = ItemId.pod(key(pod));
        decides(
                claim,
                item,
                new Decision.DecisionResult.Allocated(
                        "node-1", allocation(device), List.of(ClaimConsumer.pod(pod, pod))));
        world.applyExplanation(new Explanation(
                item,
                List.of(key(claim)),
                0,
                new Explanation.ExplanationDetail.Allocated(
                        "node-1",
                        new AllocationPlan.NodeChoice(
                                PlacementPolicy.BEST_FIT, 0, "given before", Optional.empty(), ""))));
    }

    void letsWait(String claim) {
        var item = ItemId.claim(key(claim));
        decides(claim, item, new Decision.DecisionResult.Pending(Reason.DevicesInUse, "1 wanted, 0 free"));
        world.applyExplanation(new Explanation(
                item,
                List.of(key(claim)),
                9,
                new Explanation.ExplanationDetail.Pending(
                        new AllocationPlan.PendingDiagnosis(Reason.DevicesInUse, "1 wanted, 0 free", Optional.empty()),
                        List.of())));
    }

    /** Revokes the allocation of a claim. */
    void revokes(String claim, String device) {
        var given = new Decision.DecisionResult.Allocated("node-1", allocation(device), List.of());
        decides(claim, ItemId.claim(key(claim)), new Decision.DecisionResult.Revoked(given, "the device is gone"));
    }

    void releases(String claim) {
        decides(claim, ItemId.claim(key(claim)), new Decision.DecisionResult.Released());
    }

    private void decides(String claim, ItemId item, Decision.DecisionResult verdict) {
        world.applyDecision(new Decision(key(claim), claim, ++number, item, verdict), AT);
    }

    /** Sets the status of a claim, as a writer does. */
    void commits(String claim, String device, ClaimConsumer... consumers) {
        var before = (ResourceClaim) object(claim(claim));
        shows(1, new ResourceClaim(before.meta(), before.spec(), Optional.of(allocation(device)), List.of(consumers)));
    }
}

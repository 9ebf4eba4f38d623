package dev.claimstream.console;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.allocation.solver.Policy;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Consumer;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.Reading;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What a source and an allocator say of a cluster with one node and two GPUs, told to a world in any order. */
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

    final World world = new World();
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
        Reading reading = Manifests.read("test", manifest);
        if (!reading.findings().isEmpty()) {
            throw new IllegalArgumentException(reading.findings().toString());
        }
        return reading.objects().getFirst();
    }

    void shows(String manifest) {
        shows(1, object(manifest));
    }

    void shows(long epoch, ClusterObject object) {
        world.observe(new Observation.Seen(new Stamp(SOURCE, epoch, ++version), object));
    }

    /** Lists again what was the last to change; it has the same version. */
    void showsAgain(long epoch, ClusterObject object) {
        world.observe(new Observation.Seen(new Stamp(SOURCE, epoch, version), object));
    }

    void withdraws(Kind kind, ObjectKey key) {
        world.observe(new Observation.Gone(new Stamp(SOURCE, 1, ++version), kind, key, key.name()));
    }

    void lists(long epoch, Kind kind) {
        world.observe(new Observation.Listed(new Stamp(SOURCE, epoch, ++version), kind, 0, 1));
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
        decides(claim, item, new Decision.Verdict.Granted("node-1", allocation(device), List.of()));
        grantIsExplained(claim);
    }

    /** Why a claim was given what it was, alone. */
    void grantIsExplained(String claim) {
        world.explained(new Explanation(
                ItemId.claim(key(claim)),
                List.of(key(claim)),
                7,
                new Explanation.Because.Granted(
                        "node-1",
                        new Plan.Choice(Policy.BEST_FIT, 1, "the only node that fits", Optional.empty(), ""))));
    }

    /** A pod takes part in what a claim was given. */
    void joins(String claim, String device, String pod) {
        var item = ItemId.pod(key(pod));
        decides(
                claim,
                item,
                new Decision.Verdict.Granted("node-1", allocation(device), List.of(Consumer.pod(pod, pod))));
        world.explained(new Explanation(
                item,
                List.of(key(claim)),
                0,
                new Explanation.Because.Granted(
                        "node-1", new Plan.Choice(Policy.BEST_FIT, 0, "given before", Optional.empty(), ""))));
    }

    void letsWait(String claim) {
        var item = ItemId.claim(key(claim));
        decides(claim, item, new Decision.Verdict.Waits(Reason.DevicesInUse, "1 wanted, 0 free"));
        world.explained(new Explanation(
                item,
                List.of(key(claim)),
                9,
                new Explanation.Because.Waits(
                        new Plan.Diagnosis(Reason.DevicesInUse, "1 wanted, 0 free", Optional.empty()), List.of())));
    }

    /** What a claim was given is to be given back. */
    void revokes(String claim, String device) {
        var given = new Decision.Verdict.Granted("node-1", allocation(device), List.of());
        decides(claim, ItemId.claim(key(claim)), new Decision.Verdict.Revoked(given, "the device is gone"));
    }

    void releases(String claim) {
        decides(claim, ItemId.claim(key(claim)), new Decision.Verdict.Released());
    }

    private void decides(String claim, ItemId item, Decision.Verdict verdict) {
        world.decided(new Decision(key(claim), claim, ++number, item, verdict), AT);
    }

    /** The status as a writer sets it. */
    void commits(String claim, String device, Consumer... consumers) {
        var before = (ResourceClaim) object(claim(claim));
        shows(1, new ResourceClaim(before.meta(), before.spec(), Optional.of(allocation(device)), List.of(consumers)));
    }
}

package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.AllocationConfig;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.OpaqueConfig;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.VersionedObject;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** One claim, and decisions on it. */
final class DecisionSamples {
    static final ObjectKey CLAIM = new ObjectKey("team", "a");
    static final ClaimConsumer P = ClaimConsumer.pod("p", "uid-p");
    static final ClaimConsumer Q = ClaimConsumer.pod("q", "uid-q");

    private DecisionSamples() {}

    static Allocation gpu(String name, String time) {
        var result = DeviceResult.of("gpu", new DeviceId("gpu.example.com", "p", name));
        return new Allocation(List.of(result), List.of(), Optional.empty(), Optional.of(Instant.parse(time)));
    }

    static Allocation gpu(String name) {
        return gpu(name, "2026-01-01T00:00:00Z");
    }

    static VersionedObject claim(String uid, Optional<Allocation> allocation, ClaimConsumer... consumers) {
        var meta = ObjectMeta.of(CLAIM.namespace(), CLAIM.name(), uid);
        var spec = new ClaimSpec(List.of(), List.of(), List.of());
        return new VersionedObject(new ResourceClaim(meta, spec, allocation, List.of(consumers)), 7);
    }

    /** Returns the claim with an allocation by this field manager. */
    static Optional<VersionedObject> allocatedBy(String manager, Allocation allocation) {
        VersionedObject read = claim("u", Optional.of(allocation), P);
        return Optional.of(new VersionedObject(read.object(), read.version(), Optional.of(manager)));
    }

    static Decision allocatedDecision(long number, String claim, ClaimConsumer... consumers) {
        return decision(
                number, claim, new Decision.DecisionResult.Allocated("node-1", gpu("gpu-0"), List.of(consumers)));
    }

    /** An allocation for a version of the claim; {@link #claim} has version 7. */
    static Decision allocatedAtVersion(long number, long claimVersion) {
        return decision(
                number, "u", new Decision.DecisionResult.Allocated("node-1", gpu("gpu-0"), List.of(P), claimVersion));
    }

    /** An allocation of a share of the device. */
    static Decision sharedDeviceDecision(long number) {
        var result = DeviceResult.builder("gpu", new DeviceId("gpu.example.com", "p", "gpu-0"))
                .shareId(Optional.of("5b2f3a3c-0000-4000-8000-000000000000"))
                .build();
        var allocation = new Allocation(
                List.of(result), List.of(), Optional.empty(), gpu("gpu-0").allocationTimestamp());
        return decision(number, "u", new Decision.DecisionResult.Allocated("node-1", allocation, List.of(P)));
    }

    /** An allocation with parameters, for version 7 of the claim. */
    static Decision withConfig(OpaqueConfig config) {
        Allocation gpu = gpu("gpu-0");
        var entry = new AllocationConfig(AllocationConfig.AllocationConfigSource.FROM_CLASS, List.of(), config);
        var allocation = new Allocation(gpu.results(), List.of(entry), Optional.empty(), gpu.allocationTimestamp());
        return decision(1, "u", new Decision.DecisionResult.Allocated("node-1", allocation, List.of(P), 7));
    }

    static Decision allocatedAtVersion(long claimVersion) {
        return allocatedAtVersion(1, claimVersion);
    }

    static Decision pendingDecision(long number, String claim) {
        return decision(number, claim, new Decision.DecisionResult.Pending(Reason.DevicesInUse, "wait"));
    }

    static Decision releasedDecision(long number, String claim) {
        return decision(number, claim, new Decision.DecisionResult.Released());
    }

    static Decision revokedDecision(long number, String claim) {
        return revokedDecision(number, claim, 0);
    }

    /** A revocation of an allocation for a version of the claim. */
    static Decision revokedDecision(long number, String claim, long claimVersion) {
        return decision(
                number,
                claim,
                new Decision.DecisionResult.Revoked(
                        new Decision.DecisionResult.Allocated("node-1", gpu("gpu-0"), List.of(), claimVersion),
                        "a device went away"));
    }

    private static Decision decision(long number, String claim, Decision.DecisionResult verdict) {
        return new Decision(CLAIM, claim, number, ItemId.claim(CLAIM), verdict);
    }
}

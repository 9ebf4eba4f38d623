package dev.claimstream.wire;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.schemas.AllocatedDecision;
import dev.claimstream.schemas.DeallocationDecision;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.ItemIdRecord;
import dev.claimstream.schemas.PendingDecision;
import dev.claimstream.schemas.RevokedDecision;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** Converts decisions to and from records of {@code decisions.v1}. */
public final class DecisionCodec {
    private DecisionCodec() {}

    /** Converts a decision of a cell to a record. */
    public static DecisionRecord to(Decision decision, int cell, Instant at) {
        var record = DecisionRecord.newBuilder()
                .setCell(cell)
                .setNumber(decision.number())
                .setAt(at)
                .setClaimUid(decision.claimUid())
                .setNamespace(decision.claim().namespace())
                .setName(decision.claim().name())
                .setItem(to(decision.item()));
        switch (decision.result()) {
            case Decision.DecisionResult.Allocated allocated -> record.setAllocated(to(allocated));
            case Decision.DecisionResult.Pending pending ->
                record.setPending(new PendingDecision(pending.reason().name(), pending.message()));
            case Decision.DecisionResult.Revoked revoked ->
                record.setRevoked(new RevokedDecision(to(revoked.allocated()), revoked.message()));
            case Decision.DecisionResult.Deallocation deallocation -> record.setDeallocation(to(deallocation));
            case Decision.DecisionResult.Released released -> record.setReleased(true);
        }
        return record.build();
    }

    /**
     * Converts a record to a decision.
     *
     * @throws IllegalArgumentException if the reason is unknown, or no known result is set
     */
    public static Decision from(DecisionRecord record) {
        Decision.DecisionResult result = record.getAllocated()
                .<Decision.DecisionResult>map(DecisionCodec::from)
                .or(() -> record.getPending()
                        .map(pending -> new Decision.DecisionResult.Pending(
                                Reason.valueOf(pending.getReason()), pending.getMessage())))
                .or(() -> record.getRevoked()
                        .map(revoked -> new Decision.DecisionResult.Revoked(
                                from(revoked.getAllocated()), revoked.getMessage())))
                .or(() -> record.getDeallocation().map(DecisionCodec::from))
                .orElseGet(() -> release(record));
        return new Decision(
                new ObjectKey(record.getNamespace(), record.getName()),
                record.getClaimUid(),
                record.getNumber(),
                from(record.getItem()),
                result);
    }

    private static AllocatedDecision to(Decision.DecisionResult.Allocated allocated) {
        return new AllocatedDecision(
                allocated.node(),
                ClaimCodec.to(allocated.allocation()),
                ClaimCodec.consumers(allocated.reservedFor()),
                allocated.claimVersion());
    }

    private static Decision.DecisionResult.Allocated from(AllocatedDecision record) {
        return new Decision.DecisionResult.Allocated(
                record.getNode(),
                ClaimCodec.from(record.getAllocation()),
                ClaimCodec.consumersFrom(record.getReservedFor()),
                record.getClaimVersion());
    }

    private static DeallocationDecision to(Decision.DecisionResult.Deallocation deallocation) {
        return new DeallocationDecision(
                ClaimCodec.to(deallocation.allocation()),
                ClaimCodec.consumers(List.of(deallocation.consumer())).getFirst(),
                deallocation.claimVersion(),
                deallocation.message());
    }

    private static Decision.DecisionResult.Deallocation from(DeallocationDecision record) {
        return new Decision.DecisionResult.Deallocation(
                ClaimCodec.from(record.getAllocation()),
                ClaimCodec.consumersFrom(List.of(record.getConsumer())).getFirst(),
                record.getClaimVersion(),
                record.getMessage());
    }

    private static Decision.DecisionResult release(DecisionRecord record) {
        if (!record.getReleased()) {
            throw new IllegalArgumentException(
                    "decision %d on %s/%s: none of allocated, pending, revoked, deallocation and released is set"
                            .formatted(record.getNumber(), record.getNamespace(), record.getName()));
        }
        return new Decision.DecisionResult.Released();
    }

    static ItemIdRecord to(ItemId item) {
        return new ItemIdRecord(
                item.kind().name().toLowerCase(Locale.ROOT),
                item.key().namespace(),
                item.key().name());
    }

    static ItemId from(ItemIdRecord item) {
        return new ItemId(
                ItemId.ItemKind.valueOf(item.getKind().toUpperCase(Locale.ROOT)),
                new ObjectKey(item.getNamespace(), item.getName()));
    }
}

package dev.claimstream.wire;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectKey;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** Converts decisions to and from records of {@code decisions.v1}. */
public final class DecisionCodec {
    private DecisionCodec() {}

    /** Converts a decision of a cell to a record. */
    public static dev.claimstream.schemas.DecisionRecord to(Decision decision, int cell, Instant at) {
        var record = dev.claimstream.schemas.DecisionRecord.newBuilder()
                .setCell(cell)
                .setNumber(decision.number())
                .setAt(at)
                .setClaimUid(decision.claimUid())
                .setNamespace(decision.claim().namespace())
                .setName(decision.claim().name())
                .setItem(to(decision.item()));
        switch (decision.result()) {
            case Decision.DecisionResult.Allocated granted -> record.setGranted(to(granted));
            case Decision.DecisionResult.Pending waits ->
                record.setWaits(new dev.claimstream.schemas.Waits(waits.reason().name(), waits.message()));
            case Decision.DecisionResult.Revoked revoked ->
                record.setRevoked(new dev.claimstream.schemas.Revoked(to(revoked.allocated()), revoked.message()));
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
    public static Decision from(dev.claimstream.schemas.DecisionRecord record) {
        Decision.DecisionResult verdict = record.getGranted()
                .<Decision.DecisionResult>map(DecisionCodec::from)
                .or(() -> record.getWaits()
                        .map(waits -> new Decision.DecisionResult.Pending(
                                Reason.valueOf(waits.getReason()), waits.getMessage())))
                .or(() -> record.getRevoked()
                        .map(revoked -> new Decision.DecisionResult.Revoked(from(revoked.getWhat()), revoked.getWhy())))
                .or(() -> record.getDeallocation().map(DecisionCodec::from))
                .orElseGet(() -> release(record));
        return new Decision(
                new ObjectKey(record.getNamespace(), record.getName()),
                record.getClaimUid(),
                record.getNumber(),
                from(record.getItem()),
                verdict);
    }

    private static dev.claimstream.schemas.Granted to(Decision.DecisionResult.Allocated granted) {
        return new dev.claimstream.schemas.Granted(
                granted.node(),
                ClaimCodec.to(granted.allocation()),
                ClaimCodec.consumers(granted.reservedFor()),
                granted.claimVersion());
    }

    private static Decision.DecisionResult.Allocated from(dev.claimstream.schemas.Granted record) {
        return new Decision.DecisionResult.Allocated(
                record.getNode(),
                ClaimCodec.from(record.getAllocation()),
                ClaimCodec.consumersFrom(record.getReservedFor()),
                record.getClaimVersion());
    }

    private static dev.claimstream.schemas.Deallocation to(Decision.DecisionResult.Deallocation deallocation) {
        return new dev.claimstream.schemas.Deallocation(
                ClaimCodec.to(deallocation.allocation()),
                ClaimCodec.consumers(List.of(deallocation.consumer())).getFirst(),
                deallocation.claimVersion(),
                deallocation.message());
    }

    private static Decision.DecisionResult.Deallocation from(dev.claimstream.schemas.Deallocation record) {
        return new Decision.DecisionResult.Deallocation(
                ClaimCodec.from(record.getAllocation()),
                ClaimCodec.consumersFrom(List.of(record.getConsumer())).getFirst(),
                record.getClaimVersion(),
                record.getWhy());
    }

    private static Decision.DecisionResult release(dev.claimstream.schemas.DecisionRecord record) {
        if (!record.getReleased()) {
            throw new IllegalArgumentException(
                    "decision %d on %s/%s: none of granted, waits, revoked, deallocation and released is set"
                            .formatted(record.getNumber(), record.getNamespace(), record.getName()));
        }
        return new Decision.DecisionResult.Released();
    }

    static dev.claimstream.schemas.ItemId to(ItemId item) {
        return new dev.claimstream.schemas.ItemId(
                item.kind().name().toLowerCase(Locale.ROOT),
                item.key().namespace(),
                item.key().name());
    }

    static ItemId from(dev.claimstream.schemas.ItemId item) {
        return new ItemId(
                ItemId.ItemKind.valueOf(item.getSort().toUpperCase(Locale.ROOT)),
                new ObjectKey(item.getNamespace(), item.getName()));
    }
}

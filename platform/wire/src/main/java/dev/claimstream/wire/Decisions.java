package dev.claimstream.wire;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectKey;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** Converts decisions to and from records of {@code decisions.v1}. */
public final class Decisions {
    private Decisions() {}

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
        switch (decision.verdict()) {
            case Decision.Verdict.Granted granted -> record.setGranted(to(granted));
            case Decision.Verdict.Waits waits ->
                record.setWaits(new dev.claimstream.schemas.Waits(waits.reason().name(), waits.message()));
            case Decision.Verdict.Revoked revoked ->
                record.setRevoked(new dev.claimstream.schemas.Revoked(to(revoked.what()), revoked.why()));
            case Decision.Verdict.Deallocation deallocation -> record.setDeallocation(to(deallocation));
            case Decision.Verdict.Released released -> record.setReleased(true);
        }
        return record.build();
    }

    /**
     * Converts a record to a decision.
     *
     * @throws IllegalArgumentException if the reason is unknown, or no known result is set
     */
    public static Decision from(dev.claimstream.schemas.DecisionRecord record) {
        Decision.Verdict verdict = record.getGranted()
                .<Decision.Verdict>map(Decisions::from)
                .or(() -> record.getWaits()
                        .map(waits ->
                                new Decision.Verdict.Waits(Reason.valueOf(waits.getReason()), waits.getMessage())))
                .or(() -> record.getRevoked()
                        .map(revoked -> new Decision.Verdict.Revoked(from(revoked.getWhat()), revoked.getWhy())))
                .or(() -> record.getDeallocation().map(Decisions::from))
                .orElseGet(() -> released(record));
        return new Decision(
                new ObjectKey(record.getNamespace(), record.getName()),
                record.getClaimUid(),
                record.getNumber(),
                from(record.getItem()),
                verdict);
    }

    private static dev.claimstream.schemas.Granted to(Decision.Verdict.Granted granted) {
        return new dev.claimstream.schemas.Granted(
                granted.node(),
                ClaimWire.to(granted.allocation()),
                ClaimWire.consumers(granted.reservedFor()),
                granted.claimVersion());
    }

    private static Decision.Verdict.Granted from(dev.claimstream.schemas.Granted record) {
        return new Decision.Verdict.Granted(
                record.getNode(),
                ClaimWire.from(record.getAllocation()),
                ClaimWire.consumersFrom(record.getReservedFor()),
                record.getClaimVersion());
    }

    private static dev.claimstream.schemas.Deallocation to(Decision.Verdict.Deallocation deallocation) {
        return new dev.claimstream.schemas.Deallocation(
                ClaimWire.to(deallocation.allocation()),
                ClaimWire.consumers(List.of(deallocation.consumer())).getFirst(),
                deallocation.claimVersion(),
                deallocation.why());
    }

    private static Decision.Verdict.Deallocation from(dev.claimstream.schemas.Deallocation record) {
        return new Decision.Verdict.Deallocation(
                ClaimWire.from(record.getAllocation()),
                ClaimWire.consumersFrom(List.of(record.getConsumer())).getFirst(),
                record.getClaimVersion(),
                record.getWhy());
    }

    private static Decision.Verdict released(dev.claimstream.schemas.DecisionRecord record) {
        if (!record.getReleased()) {
            throw new IllegalArgumentException(
                    "decision %d on %s/%s: none of granted, waits, revoked, deallocation and released is set"
                            .formatted(record.getNumber(), record.getNamespace(), record.getName()));
        }
        return new Decision.Verdict.Released();
    }

    static dev.claimstream.schemas.ItemId to(ItemId item) {
        return new dev.claimstream.schemas.ItemId(
                item.sort().name().toLowerCase(Locale.ROOT),
                item.key().namespace(),
                item.key().name());
    }

    static ItemId from(dev.claimstream.schemas.ItemId item) {
        return new ItemId(
                ItemId.Sort.valueOf(item.getSort().toUpperCase(Locale.ROOT)),
                new ObjectKey(item.getNamespace(), item.getName()));
    }
}

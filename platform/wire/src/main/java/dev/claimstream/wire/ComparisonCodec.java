package dev.claimstream.wire;

import dev.claimstream.allocation.cell.Comparison;
import dev.claimstream.allocation.cell.Comparison.ComparedAllocation;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.schemas.ComparedAllocationRecord;
import dev.claimstream.schemas.ComparisonRecord;
import dev.claimstream.schemas.DeviceIdRecord;
import java.time.Instant;
import java.util.TreeSet;

/** Converts comparisons to and from records of {@code comparisons.v1}. */
public final class ComparisonCodec {
    private ComparisonCodec() {}

    /** Converts a comparison of a cell to a record. */
    public static ComparisonRecord to(Comparison comparison, int cell, Instant at) {
        var record = ComparisonRecord.newBuilder()
                .setCell(cell)
                .setAt(at)
                .setClaimUid(comparison.claimUid())
                .setNamespace(comparison.claim().namespace())
                .setName(comparison.claim().name())
                .setItem(DecisionCodec.to(comparison.item()))
                .setResult(comparison.result().text());
        comparison.since().ifPresent(record::setSince);
        comparison.decided().map(ComparisonCodec::to).ifPresent(record::setDecided);
        comparison.pending().map(Reason::name).ifPresent(record::setPending);
        comparison.actual().map(ComparisonCodec::to).ifPresent(record::setActual);
        return record.build();
    }

    /**
     * Converts a record to a comparison.
     *
     * @throws IllegalArgumentException if the reason is unknown
     */
    public static Comparison from(ComparisonRecord record) {
        return new Comparison(
                new ObjectKey(record.getNamespace(), record.getName()),
                record.getClaimUid(),
                DecisionCodec.from(record.getItem()),
                record.getSince(),
                record.getDecided().map(ComparisonCodec::from),
                record.getPending().map(Reason::valueOf),
                record.getActual().map(ComparisonCodec::from));
    }

    private static ComparedAllocationRecord to(ComparedAllocation allocation) {
        return new ComparedAllocationRecord(
                allocation.node(),
                allocation.devices().stream()
                        .map(device -> new DeviceIdRecord(device.driver(), device.pool(), device.device()))
                        .toList(),
                allocation.at());
    }

    private static ComparedAllocation from(ComparedAllocationRecord record) {
        var devices = new TreeSet<DeviceId>();
        record.getDevices()
                .forEach(device -> devices.add(new DeviceId(device.getDriver(), device.getPool(), device.getDevice())));
        return new ComparedAllocation(record.getNode(), devices, record.getAt());
    }
}

package dev.claimstream.wire;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.InventoryRecord;

/** Builders for the records of the public topics and of the intake. */
final class InputRecords {
    private InputRecords() {}

    /** Returns the input of a cell with a public record. */
    static CellInputRecord.Builder inputOf(PublicRecord published) {
        return switch (published) {
            case PublicRecord.InventoryTopicRecord inventory ->
                CellInputRecord.newBuilder().setInventory(inventory.value());
            case PublicRecord.ClaimsTopicRecord claims ->
                CellInputRecord.newBuilder().setClaims(claims.value());
        };
    }

    /** Returns an inventory record without content. */
    static InventoryRecord.Builder inventory(Stamp stamp) {
        return InventoryRecord.newBuilder()
                .setSource(stamp.source())
                .setEpoch(stamp.epoch())
                .setVersion(stamp.version())
                .setUid("");
    }

    /** Returns a claims record without content. */
    static ClaimsRecord.Builder claims(Stamp stamp) {
        return ClaimsRecord.newBuilder()
                .setSource(stamp.source())
                .setEpoch(stamp.epoch())
                .setVersion(stamp.version())
                .setUid("");
    }
}

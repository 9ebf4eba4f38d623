package dev.claimstream.wire;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.schemas.CellInput;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.InventoryRecord;

/** Observations as the log has them. */
final class Sent {
    private Sent() {}

    /** A published record in the envelope of the intake. */
    static CellInput.Builder placed(PublicRecord published) {
        return switch (published) {
            case PublicRecord.InventoryTopicRecord inventory ->
                CellInput.newBuilder().setInventory(inventory.value());
            case PublicRecord.ClaimsTopicRecord claims -> CellInput.newBuilder().setClaims(claims.value());
        };
    }

    /** An envelope with nothing in it. */
    static InventoryRecord.Builder inventory(Stamp stamp) {
        return InventoryRecord.newBuilder()
                .setSource(stamp.source())
                .setEpoch(stamp.epoch())
                .setVersion(stamp.version())
                .setUid("");
    }

    /** An envelope with nothing in it. */
    static ClaimsRecord.Builder claims(Stamp stamp) {
        return ClaimsRecord.newBuilder()
                .setSource(stamp.source())
                .setEpoch(stamp.epoch())
                .setVersion(stamp.version())
                .setUid("");
    }
}

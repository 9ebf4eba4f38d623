package dev.claimstream.wire;

import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Kind;
import dev.claimstream.schemas.CellInput;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.Stale;
import dev.claimstream.schemas.Withdrawn;
import java.time.Instant;

/** Observations as the log has them. */
final class Sent {
    private static final Instant JUDGED = Instant.parse("2026-01-01T00:00:00Z");

    private Sent() {}

    /** The input that says this; origin and time are left to do. */
    static CellInput.Builder input(Observation observation) {
        return switch (observation) {
            case Observation.Seen seen -> placed(Published.seen(seen.stamp(), seen.object()));
            case Observation.Gone gone -> withdrawn(gone);
            case Observation.Listed listed -> placed(Published.listed(listed.stamp(), listed.kind(), 1));
            case Observation.Stale stale -> stale(stale);
            case Observation.Heard heard ->
                placed(Published.heard(heard.stamp(), heard.node(), heard.silent(), JUDGED));
            case Observation.Configured configured ->
                CellInput.newBuilder().setSettings(SettingsWire.to(configured.settings()));
            case Observation.Restored restored ->
                CellInput.newBuilder().setRestored(Decisions.to(restored.decision(), 0, JUDGED));
            case Observation.Probe probe -> placed(probe(probe));
        };
    }

    /** A published record in the envelope of the intake. */
    static CellInput.Builder placed(Published published) {
        return switch (published) {
            case Published.Inventory inventory -> CellInput.newBuilder().setInventory(inventory.value());
            case Published.Claims claims -> CellInput.newBuilder().setClaims(claims.value());
        };
    }

    private static Published probe(Observation.Probe probe) {
        var stamp = new Stamp("watcher", 1, 0);
        return probe.partition() == 0
                ? Published.probeInventory(stamp, probe.id(), probe.partition(), probe.partitions())
                : Published.probeClaims(stamp, probe.id(), probe.partition(), probe.partitions());
    }

    private static CellInput.Builder withdrawn(Observation.Gone gone) {
        var withdrawn = new Withdrawn(
                gone.kind().apiName(), gone.key().namespace(), gone.key().name(), gone.uid());
        return Published.isInventory(gone.kind())
                ? CellInput.newBuilder()
                        .setInventory(
                                inventory(gone.stamp()).setWithdrawn(withdrawn).build())
                : CellInput.newBuilder()
                        .setClaims(claims(gone.stamp()).setWithdrawn(withdrawn).build());
    }

    private static CellInput.Builder stale(Observation.Stale stale) {
        Kind kind = stale.kind();
        return Published.isInventory(kind)
                ? CellInput.newBuilder()
                        .setInventory(inventory(stale.stamp())
                                .setStale(new Stale(kind.apiName()))
                                .build())
                : CellInput.newBuilder()
                        .setClaims(claims(stale.stamp())
                                .setStale(new Stale(kind.apiName()))
                                .build());
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

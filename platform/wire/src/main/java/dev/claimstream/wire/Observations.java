package dev.claimstream.wire;

import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Stamp;
import java.time.Instant;
import java.util.Locale;

/** Writes observations as records of {@code cells.in}. {@link Inputs} reads them. */
public final class Observations {
    /** The topic of a record without an original record. */
    private static final String NO_TOPIC = "";

    private Observations() {}

    /** Converts an observation to a record with this write time. */
    public static dev.claimstream.schemas.CellInput to(Observation observation, Instant at) {
        return switch (observation) {
            case Observation.Seen seen -> placed(Published.seen(seen.stamp(), seen.object()), at);
            case Observation.Gone gone -> withdrawn(gone, at);
            case Observation.Listed listed -> listed(listed, at);
            case Observation.Stale stale -> placed(Published.stale(stale.stamp(), stale.kind()), at);
            case Observation.Heard heard ->
                placed(Published.heard(heard.stamp(), heard.node(), heard.silent(), at), at);
            case Observation.Carried carried ->
                input(at)
                        .setOutcome(new dev.claimstream.schemas.OutcomeRecord(
                                carried.claimUid(),
                                carried.number(),
                                carried.result().name().toLowerCase(Locale.ROOT),
                                carried.message(),
                                carried.claimVersion(),
                                at))
                        .build();
            case Observation.Restored restored ->
                input(at).setRestored(Decisions.to(restored.decision(), 0, at)).build();
            case Observation.Assigned assigned ->
                input(at)
                        .setAssigned(new dev.claimstream.schemas.Assigned(
                                Decisions.to(assigned.item()), assigned.uid(), assigned.attempt(), assigned.number()))
                        .build();
            case Observation.Declined declined ->
                input(at)
                        .setDeclined(
                                new dev.claimstream.schemas.Declined(Decisions.to(declined.item()), declined.uid()))
                        .build();
            case Observation.HandOver handOver ->
                input(at)
                        .setHandOver(new dev.claimstream.schemas.HandOver(handOver.node(), handOver.transfer()))
                        .build();
            case Observation.Configured configured ->
                input(at).setSettings(SettingsWire.to(configured.settings())).build();
            case Observation.Tick tick ->
                input(at).setTick(new dev.claimstream.schemas.Tick()).build();
            case Observation.Continue next ->
                input(at)
                        .setWorkSlice(new dev.claimstream.schemas.WorkSlice(next.number()))
                        .build();
            case Observation.Probe probe ->
                placed(
                        Published.probeClaims(
                                new Stamp("router", 0, 0), probe.id(), probe.partition(), probe.partitions()),
                        at);
        };
    }

    private static dev.claimstream.schemas.CellInput.Builder input(Instant at) {
        return dev.claimstream.schemas.CellInput.newBuilder().setAt(at);
    }

    private static dev.claimstream.schemas.CellInput placed(Published published, Instant at) {
        return within(published, at).build();
    }

    private static dev.claimstream.schemas.CellInput.Builder within(Published published, Instant at) {
        return switch (published) {
            case Published.Inventory inventory -> input(at).setInventory(inventory.value());
            case Published.Claims claims -> input(at).setClaims(claims.value());
        };
    }

    private static dev.claimstream.schemas.CellInput listed(Observation.Listed listed, Instant at) {
        return within(Published.listed(listed.stamp(), listed.kind(), 0), at)
                .setOrigin(new dev.claimstream.schemas.Origin(NO_TOPIC, listed.partition(), listed.partitions(), 0L))
                .build();
    }

    private static dev.claimstream.schemas.CellInput withdrawn(Observation.Gone gone, Instant at) {
        var withdrawn = new dev.claimstream.schemas.Withdrawn(
                gone.kind().apiName(), gone.key().namespace(), gone.key().name(), gone.uid());
        Stamp stamp = gone.stamp();
        return Published.isInventory(gone.kind())
                ? input(at)
                        .setInventory(dev.claimstream.schemas.InventoryRecord.newBuilder()
                                .setSource(stamp.source())
                                .setEpoch(stamp.epoch())
                                .setVersion(stamp.version())
                                .setUid(gone.uid())
                                .setWithdrawn(withdrawn)
                                .build())
                        .build()
                : input(at)
                        .setClaims(dev.claimstream.schemas.ClaimsRecord.newBuilder()
                                .setSource(stamp.source())
                                .setEpoch(stamp.epoch())
                                .setVersion(stamp.version())
                                .setWaitForConsumer(Timings.to(stamp.timing()))
                                .setUid(gone.uid())
                                .setWithdrawn(withdrawn)
                                .build())
                        .build();
    }
}

package dev.claimstream.wire;

import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.DeclinedOffer;
import dev.claimstream.schemas.DeletionMarker;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.ItemAssignment;
import dev.claimstream.schemas.NodeTransferRequest;
import dev.claimstream.schemas.Origin;
import dev.claimstream.schemas.OutcomeRecord;
import dev.claimstream.schemas.TickRecord;
import dev.claimstream.schemas.WorkSlice;
import java.time.Instant;
import java.util.Locale;

/** Writes observations as records of {@code cells.in}. {@link CellInputReader} reads them. */
public final class CellInputWriter {
    /** The topic of a record without an original record. */
    private static final String NO_TOPIC = "";

    private CellInputWriter() {}

    /** Converts an observation to a record with this write time. */
    public static CellInputRecord to(Observation observation, Instant at) {
        return switch (observation) {
            case Observation.ObjectUpserted upserted ->
                inputOf(PublicRecord.upsert(upserted.stamp(), upserted.object()), at);
            case Observation.ObjectDeleted deleted -> deletion(deleted, at);
            case Observation.KindSynced synced -> syncMarker(synced, at);
            case Observation.KindStale stale -> inputOf(PublicRecord.staleMarker(stale.stamp(), stale.kind()), at);
            case Observation.NodeLiveness liveness ->
                inputOf(PublicRecord.liveness(liveness.stamp(), liveness.node(), liveness.silent(), at), at);
            case Observation.CommitOutcome outcome ->
                input(at)
                        .setOutcome(new OutcomeRecord(
                                outcome.claimUid(),
                                outcome.number(),
                                outcome.result().name().toLowerCase(Locale.ROOT),
                                outcome.message(),
                                outcome.claimVersion(),
                                at,
                                ""))
                        .build();
            case Observation.DecisionRestored restored ->
                input(at)
                        .setRestoredDecision(DecisionCodec.to(restored.decision(), 0, at))
                        .build();
            case Observation.ItemAssigned assigned ->
                input(at)
                        .setAssignment(new ItemAssignment(
                                DecisionCodec.to(assigned.item()),
                                assigned.uid(),
                                assigned.attempt(),
                                assigned.number(),
                                assigned.deallocatable()))
                        .build();
            case Observation.OfferDeclined declined ->
                input(at)
                        .setDeclinedOffer(new DeclinedOffer(DecisionCodec.to(declined.item()), declined.uid()))
                        .build();
            case Observation.NodeHandover request ->
                input(at)
                        .setNodeTransferRequest(new NodeTransferRequest(request.node(), request.transfer()))
                        .build();
            case Observation.SettingsChanged configured ->
                input(at).setSettings(SettingsCodec.to(configured.settings())).build();
            case Observation.Tick tick -> input(at).setTick(new TickRecord()).build();
            case Observation.WorkSliceDue next ->
                input(at).setWorkSlice(new WorkSlice(next.number())).build();
            case Observation.Probe probe ->
                inputOf(
                        PublicRecord.probeClaims(
                                new Stamp("router", 0, 0), probe.id(), probe.partition(), probe.partitions()),
                        at);
        };
    }

    private static CellInputRecord.Builder input(Instant at) {
        return CellInputRecord.newBuilder().setAt(at);
    }

    private static CellInputRecord inputOf(PublicRecord published, Instant at) {
        return inputBuilder(published, at).build();
    }

    private static CellInputRecord.Builder inputBuilder(PublicRecord published, Instant at) {
        return switch (published) {
            case PublicRecord.InventoryTopicRecord inventory -> input(at).setInventory(inventory.value());
            case PublicRecord.ClaimsTopicRecord claims -> input(at).setClaims(claims.value());
        };
    }

    private static CellInputRecord syncMarker(Observation.KindSynced synced, Instant at) {
        return inputBuilder(PublicRecord.syncMarker(synced.stamp(), synced.kind(), 0), at)
                .setOrigin(new Origin(NO_TOPIC, synced.partition(), synced.partitions(), 0L))
                .build();
    }

    private static CellInputRecord deletion(Observation.ObjectDeleted deleted, Instant at) {
        var marker = new DeletionMarker(
                deleted.kind().apiName(),
                deleted.key().namespace(),
                deleted.key().name(),
                deleted.uid());
        Stamp stamp = deleted.stamp();
        return PublicRecord.isInventory(deleted.kind())
                ? input(at)
                        .setInventory(InventoryRecord.newBuilder()
                                .setSource(stamp.source())
                                .setEpoch(stamp.epoch())
                                .setVersion(stamp.version())
                                .setListVersion(stamp.listVersion())
                                .setUid(deleted.uid())
                                .setDeleted(marker)
                                .build())
                        .build()
                : input(at)
                        .setClaims(ClaimsRecord.newBuilder()
                                .setSource(stamp.source())
                                .setEpoch(stamp.epoch())
                                .setVersion(stamp.version())
                                .setListVersion(stamp.listVersion())
                                .setWaitForConsumer(AllocationTimingCodec.to(stamp.timing()))
                                .setUid(deleted.uid())
                                .setDeleted(marker)
                                .build())
                        .build();
    }
}

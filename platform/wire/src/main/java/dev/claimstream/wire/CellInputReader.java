package dev.claimstream.wire;

import dev.claimstream.allocation.cell.AllocationTiming;
import dev.claimstream.allocation.cell.Input;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.DeletionMarker;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.Liveness;
import dev.claimstream.schemas.Origin;
import dev.claimstream.schemas.OutcomeRecord;
import dev.claimstream.schemas.ProbeRecord;
import dev.claimstream.schemas.SyncMarker;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Reads records of {@code cells.in} as inputs of a cell, and validates records of the public topics. */
public final class CellInputReader {
    private CellInputReader() {}

    /**
     * Returns the input of a record; absent if the record contains only fields of a newer version.
     *
     * @throws IllegalArgumentException if a value is invalid; the message names the value
     */
    public static Optional<Input> from(long offset, CellInputRecord record) {
        return observation(record).map(observation -> new Input(offset, record.getAt(), observation));
    }

    /** Returns the observation of a record; absent if the record contains only fields of a newer version. */
    static Optional<Observation> observation(CellInputRecord record) {
        int partition = record.getOrigin().map(Origin::getPartition).orElse(0);
        int partitions = record.getOrigin().map(Origin::getPartitions).orElse(1);
        return record.getInventory()
                .flatMap(each -> inventory(each, partition, partitions))
                .or(() -> record.getClaims().flatMap(each -> claims(each, partition, partitions)))
                .or(() -> record.getOutcome().flatMap(CellInputReader::commitOutcome))
                .or(() -> record.getAssignment()
                        .map(each -> new Observation.ItemAssigned(
                                DecisionCodec.from(each.getItem()),
                                each.getUid(),
                                each.getAttempt(),
                                each.getNumber(),
                                each.getDeallocatable())))
                .or(() -> record.getDeclinedOffer()
                        .map(each -> new Observation.OfferDeclined(DecisionCodec.from(each.getItem()), each.getUid())))
                .or(() -> record.getNodeTransferRequest()
                        .map(each -> new Observation.NodeHandover(each.getNode(), each.getTransfer())))
                .or(() -> record.getSettings().map(each -> new Observation.SettingsChanged(SettingsCodec.from(each))))
                .or(() -> record.getRestoredDecision()
                        .map(each -> new Observation.DecisionRestored(DecisionCodec.from(each))))
                .or(() -> record.getTick().map(each -> new Observation.Tick()))
                .or(() -> record.getWorkSlice().map(each -> new Observation.WorkSliceDue(each.getNumber())));
    }

    /**
     * Returns the commit outcome of a record; absent if the outcome leaves the state of the claim open.
     *
     * <p>After an open outcome, another outcome or an update of the claim follows. A missing claim is also open: only the claim's source
     * reports deletions. A claim of another source is not in the writer's cluster, and keeps its allocation.
     */
    private static Optional<Observation> commitOutcome(OutcomeRecord record) {
        Optional<Observation.CommitOutcome.Result> result = switch (record.getOutcome()) {
            case "committed" -> Optional.of(Observation.CommitOutcome.Result.COMMITTED);
            case "rejected" -> Optional.of(Observation.CommitOutcome.Result.REJECTED);
            default -> Optional.empty();
        };
        return result.map(each -> new Observation.CommitOutcome(
                record.getClaimUid(), record.getDecisionNumber(), each, record.getMessage(), record.getClaimVersion()));
    }

    private static Optional<Observation> inventory(InventoryRecord record, int partition, int partitions) {
        var stamp = new Stamp(
                record.getSource(),
                record.getEpoch(),
                record.getVersion(),
                AllocationTiming.IMMEDIATE,
                record.getListVersion());
        List<Optional<? extends ClusterObject>> objects = List.of(
                record.getSlice().map(InventoryCodec::from),
                record.getDeviceClass().map(InventoryCodec::from),
                record.getTaintRule().map(InventoryCodec::from),
                record.getNode().map(InventoryCodec::from),
                record.getNamespace().map(InventoryCodec::from));
        return upsert(stamp, objects)
                .or(() -> record.getDeleted().map(each -> deletion(stamp, each, CellInputReader::inventoryKind)))
                .or(() -> record.getLiveness()
                        .map(each -> new Observation.NodeLiveness(stamp, each.getNode(), isSilent(each))))
                .or(() -> record.getSynced()
                        .map(each -> syncMarker(stamp, each, CellInputReader::inventoryKind, partition, partitions)))
                .or(() ->
                        record.getStale().map(each -> new Observation.KindStale(stamp, inventoryKind(each.getKind()))))
                .or(() -> record.getProbe().map(CellInputReader::probe));
    }

    private static Optional<Observation> claims(ClaimsRecord record, int partition, int partitions) {
        var stamp = new Stamp(
                record.getSource(),
                record.getEpoch(),
                record.getVersion(),
                AllocationTimingCodec.from(record.getWaitForConsumer()),
                record.getListVersion());
        List<Optional<? extends ClusterObject>> objects = List.of(
                record.getClaim().map(ClaimCodec::from),
                record.getTemplate().map(ClaimCodec::from),
                record.getPod().map(ClaimCodec::from),
                record.getPodGroup().map(ClaimCodec::from));
        return upsert(stamp, objects)
                .or(() -> record.getDeleted().map(each -> deletion(stamp, each, CellInputReader::claimsKind)))
                .or(() -> record.getSynced()
                        .map(each -> syncMarker(stamp, each, CellInputReader::claimsKind, partition, partitions)))
                .or(() -> record.getStale().map(each -> new Observation.KindStale(stamp, claimsKind(each.getKind()))))
                .or(() -> record.getProbe().map(CellInputReader::probe));
    }

    private static Optional<Observation> upsert(Stamp stamp, List<Optional<? extends ClusterObject>> objects) {
        return objects.stream()
                .flatMap(Optional::stream)
                .findFirst()
                .map(object -> new Observation.ObjectUpserted(stamp, object));
    }

    private static Observation deletion(Stamp stamp, DeletionMarker marker, Function<String, Kind> kind) {
        return new Observation.ObjectDeleted(
                stamp,
                kind.apply(marker.getKind()),
                new ObjectKey(marker.getNamespace(), marker.getName()),
                marker.getUid());
    }

    private static Observation syncMarker(
            Stamp stamp, SyncMarker marker, Function<String, Kind> kind, int partition, int partitions) {
        return new Observation.KindSynced(
                new Stamp(stamp.source(), marker.getEpoch(), marker.getVersion(), stamp.timing(), stamp.listVersion()),
                kind.apply(marker.getKind()),
                partition,
                partitions);
    }

    private static Observation probe(ProbeRecord probe) {
        return new Observation.Probe(probe.getId(), probe.getIndex(), probe.getRecords());
    }

    /** Rejects a kind of the other topic, because each topic has its own authorized writers. */
    private static Kind inventoryKind(String name) {
        Kind kind = kind(name);
        if (!PublicRecord.isInventory(kind)) {
            throw new IllegalArgumentException("%s belongs to claims.v1, not to inventory.v1".formatted(name));
        }
        return kind;
    }

    private static Kind claimsKind(String name) {
        Kind kind = kind(name);
        if (PublicRecord.isInventory(kind)) {
            throw new IllegalArgumentException("%s belongs to inventory.v1, not to claims.v1".formatted(name));
        }
        return kind;
    }

    private static boolean isSilent(Liveness liveness) {
        return switch (liveness.getState()) {
            case "silent" -> true;
            case "alive" -> false;
            default ->
                throw new IllegalArgumentException("liveness of node %s: state %s is neither silent nor alive"
                        .formatted(liveness.getNode(), liveness.getState()));
        };
    }

    static Kind kind(String name) {
        return Arrays.stream(Kind.values())
                .filter(kind -> kind.apiName().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("kind %s is not known".formatted(name)));
    }

    /** Returns why a record of {@code inventory.v1} is invalid; absent if it is valid. The record is read as a cell reads it. */
    public static Optional<String> problem(InventoryRecord record) {
        return problem(record.getSource(), () -> inventory(record, 0, 1));
    }

    /** Returns why a record of {@code claims.v1} is invalid; absent if it is valid. The record is read as a cell reads it. */
    public static Optional<String> problem(ClaimsRecord record) {
        return problem(record.getSource(), () -> claims(record, 0, 1));
    }

    private static Optional<String> problem(String source, Supplier<Optional<Observation>> read) {
        try {
            if (source.isEmpty()) {
                return Optional.of("the source is empty: name the producer");
            }
            Optional<Observation> observation = read.get();
            if (observation.isEmpty()) {
                return Optional.of("no known field is set");
            }
            return observation.get() instanceof Observation.ObjectUpserted upserted
                    ? ObjectValidator.violation(upserted.object())
                    : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }
}

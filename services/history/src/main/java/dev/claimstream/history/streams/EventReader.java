package dev.claimstream.history.streams;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ProductName;
import dev.claimstream.history.AllocatedDevice;
import dev.claimstream.history.HistoryObservation;
import dev.claimstream.history.HistoryObservation.ClaimDeletion;
import dev.claimstream.history.HistoryObservation.ClaimState;
import dev.claimstream.history.HistoryObservation.CommitReport;
import dev.claimstream.history.HistoryObservation.ListEnd;
import dev.claimstream.history.HistoryObservation.ListedKind;
import dev.claimstream.history.HistoryObservation.OtherInput;
import dev.claimstream.history.HistoryObservation.PodDeletion;
import dev.claimstream.history.HistoryObservation.PodState;
import dev.claimstream.history.HistoryObservation.RestoredAllocation;
import dev.claimstream.history.HistoryObservation.SliceDeletion;
import dev.claimstream.history.HistoryObservation.SliceDevice;
import dev.claimstream.history.HistoryObservation.SliceState;
import dev.claimstream.history.LedgerFact;
import dev.claimstream.history.LedgerFact.AllocationFact;
import dev.claimstream.history.LedgerFact.DeallocationFact;
import dev.claimstream.history.LedgerFact.PendingFact;
import dev.claimstream.history.LedgerFact.ReleaseFact;
import dev.claimstream.history.LedgerFact.RevocationFact;
import dev.claimstream.history.SliceCounters;
import dev.claimstream.schemas.AllocatedDecision;
import dev.claimstream.schemas.AllocationRecord;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.ClaimConsumerRecord;
import dev.claimstream.schemas.ClaimSpecRecord;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.DeletionMarker;
import dev.claimstream.schemas.DeviceIdRecord;
import dev.claimstream.schemas.DeviceRecord;
import dev.claimstream.schemas.DeviceRequestRecord;
import dev.claimstream.schemas.DeviceResultRecord;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.Origin;
import dev.claimstream.schemas.ResourceClaimRecord;
import dev.claimstream.schemas.ResourceSliceRecord;
import dev.claimstream.schemas.SyncMarker;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Reads records of {@code cells.in} and {@code ledger.v1} as what the history folds. Fields of a newer version are left out. */
final class EventReader {
    private static final String CLAIM = "ResourceClaim";
    private static final String POD = "Pod";
    private static final String PODS = "pods";
    private static final String SLICE = "ResourceSlice";
    private static final HistoryObservation OTHER = new OtherInput();

    private EventReader() {}

    static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }

    // ---- inputs
    // ----------------------------------------------------------------------------------------------------------------

    static HistoryObservation observation(CellInputRecord input) {
        int partition = input.getOrigin().map(Origin::getPartition).orElse(0);
        int partitions = input.getOrigin().map(Origin::getPartitions).orElse(1);
        return input.getClaims()
                .map(each -> claims(each, partition, partitions))
                .or(() -> input.getInventory().map(each -> inventory(each, partition, partitions)))
                .or(() -> input.getOutcome()
                        .map(each -> new CommitReport(
                                each.getClaimUid(), each.getDecisionNumber(), each.getOutcome(), micros(each.getAt()))))
                .or(() -> input.getRestoredDecision().flatMap(EventReader::restored))
                .orElse(OTHER);
    }

    private static Optional<HistoryObservation> restored(DecisionRecord decision) {
        return decision.getAllocated().map(allocated -> new RestoredAllocation(allocation(decision, allocated)));
    }

    private static HistoryObservation claims(ClaimsRecord record, int partition, int partitions) {
        return record.getClaim()
                .<HistoryObservation>map(claim -> claim(record, claim))
                .or(() -> record.getPod()
                        .map(pod -> new PodState(
                                new HistoryObservation.Origin(
                                        record.getSource(), record.getEpoch(), record.getVersion()),
                                pod.getMeta().getNamespace(),
                                pod.getMeta().getName(),
                                pod.getMeta().getLabels())))
                .or(() -> record.getDeleted().map(each -> deletion(record.getSource(), each)))
                .or(() -> record.getSynced()
                        .flatMap(each -> listed(each.getKind())
                                .map(kind -> listEnd(record.getSource(), kind, each, partition, partitions))))
                .orElse(OTHER);
    }

    private static Optional<ListedKind> listed(String kind) {
        return switch (kind) {
            case CLAIM -> Optional.of(ListedKind.CLAIM);
            case POD -> Optional.of(ListedKind.POD);
            default -> Optional.empty();
        };
    }

    private static HistoryObservation deletion(String source, DeletionMarker marker) {
        return switch (marker.getKind()) {
            case CLAIM -> new ClaimDeletion(source, marker.getUid());
            case POD -> new PodDeletion(marker.getNamespace(), marker.getName());
            case SLICE -> new SliceDeletion(marker.getUid());
            default -> OTHER;
        };
    }

    private static ListEnd listEnd(String source, ListedKind kind, SyncMarker marker, int partition, int partitions) {
        return new ListEnd(source, kind, marker.getEpoch(), partition, partitions);
    }

    private static ClaimState claim(ClaimsRecord record, ResourceClaimRecord claim) {
        return new ClaimState(
                new HistoryObservation.Origin(record.getSource(), record.getEpoch(), record.getVersion()),
                claim.getMeta().getUid(),
                claim.getMeta().getNamespace(),
                claim.getMeta().getName(),
                classes(claim.getSpec()),
                claim.getMeta().getLabels(),
                claim.getAllocation().map(EventReader::devices),
                pods(claim.getReservedFor()));
    }

    private static Map<String, String> classes(ClaimSpecRecord spec) {
        Map<String, String> classes = new HashMap<>();
        for (DeviceRequestRecord request : spec.getRequests()) {
            request.getExactly()
                    .ifPresent(exactly ->
                            classes.put(request.getName(), exactly.getSpec().getDeviceClassName()));
            request.getFirstAvailable()
                    .ifPresent(alternatives -> alternatives.forEach(each -> classes.put(
                            request.getName() + "/" + each.getName(),
                            each.getSpec().getDeviceClassName())));
        }
        return classes;
    }

    private static List<String> pods(List<ClaimConsumerRecord> consumers) {
        return consumers.stream()
                .filter(each -> each.getResource().equals(PODS))
                .map(ClaimConsumerRecord::getName)
                .toList();
    }

    private static HistoryObservation inventory(InventoryRecord record, int partition, int partitions) {
        return record.getSlice()
                .<HistoryObservation>map(slice -> slice(record, slice))
                .or(() -> record.getDeleted()
                        .filter(each -> each.getKind().equals(SLICE))
                        .map(each -> new SliceDeletion(each.getUid())))
                .or(() -> record.getSynced()
                        .filter(each -> each.getKind().equals(SLICE))
                        .map(each -> listEnd(record.getSource(), ListedKind.SLICE, each, partition, partitions)))
                .orElse(OTHER);
    }

    private static SliceState slice(InventoryRecord record, ResourceSliceRecord slice) {
        return new SliceState(
                new HistoryObservation.Origin(record.getSource(), record.getEpoch(), record.getVersion()),
                slice.getMeta().getUid(),
                slice.getDriver(),
                slice.getPool(),
                slice.getScope().getNode().orElse(""),
                slice.getDevices().stream()
                        .map(device -> new SliceDevice(
                                device.getName(),
                                device.getAllowMultipleAllocations(),
                                amounts(slice.getDriver(), device.getCapacity(), each -> each.getValue()),
                                product(device)))
                        .toList(),
                counters(slice));
    }

    private static SliceCounters counters(ResourceSliceRecord slice) {
        Map<String, Map<String, String>> sets = new HashMap<>();
        slice.getSharedCounters().forEach(each -> sets.put(each.getName(), each.getCounters()));
        Map<String, Map<String, Map<String, String>>> consumption = new HashMap<>();
        slice.getDevices()
                .forEach(device -> device.getConsumesCounters()
                        .forEach(each -> consumption
                                .computeIfAbsent(device.getName(), _ -> new HashMap<>())
                                .put(each.getCounterSet(), each.getCounters())));
        return new SliceCounters(slice.getGeneration(), sets, consumption);
    }

    private static String product(DeviceRecord device) {
        Map<String, String> texts = new HashMap<>();
        device.getAttributes()
                .forEach((name, value) -> value.getStringValue().ifPresent(text -> texts.put(name, text)));
        return ProductName.ofTexts(texts).orElse("");
    }

    // ---- ledger
    // ----------------------------------------------------------------------------------------------------------------

    /** The fact of an event; empty for an alarm, a snapshot, a rebuild, and an event of a newer release. */
    static Optional<LedgerFact> fact(LedgerEvent event) {
        return event.getDecision().flatMap(EventReader::fact);
    }

    private static Optional<LedgerFact> fact(DecisionRecord decision) {
        if (decision.getReleased()) {
            return Optional.of(new ReleaseFact(decision.getClaimUid(), decision.getNumber()));
        }
        return decision.getAllocated()
                .<LedgerFact>map(allocated -> allocation(decision, allocated))
                .or(() -> decision.getPending()
                        .map(pending -> new PendingFact(
                                decision.getClaimUid(),
                                decision.getNamespace(),
                                decision.getName(),
                                pod(decision),
                                pending.getReason(),
                                pending.getMessage())))
                .or(() -> decision.getRevoked().map(_ -> new RevocationFact(decision.getClaimUid())))
                .or(() -> decision.getDeallocation().map(_ -> new DeallocationFact(decision.getClaimUid())));
    }

    private static AllocationFact allocation(DecisionRecord decision, AllocatedDecision allocated) {
        return new AllocationFact(
                decision.getClaimUid(),
                decision.getNumber(),
                decision.getNamespace(),
                decision.getName(),
                allocated.getNode(),
                pod(decision),
                devices(allocated.getAllocation()),
                pods(allocated.getReservedFor()));
    }

    private static String pod(DecisionRecord decision) {
        return decision.getItem().getKind().equals("pod") ? decision.getItem().getName() : "";
    }

    private static List<AllocatedDevice> devices(AllocationRecord allocation) {
        return allocation.getResults().stream().map(EventReader::device).toList();
    }

    private static AllocatedDevice device(DeviceResultRecord result) {
        DeviceIdRecord id = result.getDevice();
        return new AllocatedDevice(
                new DeviceId(id.getDriver(), id.getPool(), id.getDevice()),
                result.getRequest(),
                result.getShareId().orElse(""),
                result.getAdminAccess(),
                amounts(id.getDriver(), result.getConsumedCapacity(), text -> text));
    }

    /** Amounts by name; a name in the domain of the driver is written without it. */
    private static <T> Map<String, String> amounts(String driver, Map<String, T> amounts, Function<T, String> amount) {
        Map<String, String> named = new HashMap<>();
        amounts.forEach((name, value) -> named.put(
                name.startsWith(driver + "/") ? name.substring(driver.length() + 1) : name, amount.apply(value)));
        return named;
    }
}

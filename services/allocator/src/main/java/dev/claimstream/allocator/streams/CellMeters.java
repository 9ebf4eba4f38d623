package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.Alarm;
import dev.claimstream.allocation.cell.Comparison;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.IgnoredObservation;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.kafka.Topics;
import dev.claimstream.observability.AllocatorMeter;
import dev.claimstream.observability.Health;
import dev.claimstream.observability.Meters;
import dev.claimstream.observability.Span;
import dev.claimstream.observability.Traces;
import dev.claimstream.wire.PublicRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Meters, alarms and the decision log of the cells and the router of this process.
 *
 * <p>Safe for many threads: the numbers of each cell are replaced as a whole.
 */
public final class CellMeters {
    private static final Logger DECISIONS = LoggerFactory.getLogger("dev.claimstream.decisions");

    private static final Logger LOG = LoggerFactory.getLogger(CellMeters.class);

    /** Label of an alarm about an input. */
    static final String INPUT_FAILING = "input-failing";

    /** Labels of decisions; see {@link #result}. */
    static final List<String> RESULTS = List.of("allocated", "pending", "revoked", "deallocation", "released");

    private final Meters meters;
    private final Traces traces;
    private final boolean logsDecisions;
    private final SortedMap<Integer, CellFigures> figures = new ConcurrentSkipListMap<>();
    private final DoubleAllocations doubleAllocations;

    /**
     * Registers the meters of one process.
     *
     * @param logsDecisions whether each decision is logged
     * @param alarmGrace how long two claims must hold one device before the double allocation is reported
     */
    public CellMeters(Meters meters, Traces traces, boolean logsDecisions, Duration alarmGrace) {
        this.meters = meters;
        this.traces = traces;
        this.logsDecisions = logsDecisions;
        this.doubleAllocations = new DoubleAllocations(alarmGrace);
        meters.show(AllocatorMeter.CLAIMS, () -> totals().claims());
        meters.show(AllocatorMeter.DEVICES, () -> totals().devices());
        meters.showOne(AllocatorMeter.QUEUE_ITEMS, () -> totals().pendingItems());
        meters.show(AllocatorMeter.ACTIVE_ALARMS, this::activeAlarmCounts);
        meters.create(AllocatorMeter.SNAPSHOTS);
        meters.create(AllocatorMeter.WORK_ALARMS);
        meters.create(AllocatorMeter.ALARMS, INPUT_FAILING);
        for (Alarm.AlarmType type : Alarm.AlarmType.values()) {
            meters.create(AllocatorMeter.ALARMS, type.text());
        }
        RESULTS.forEach(result -> meters.create(AllocatorMeter.DECISION, result));
        for (Comparison.ComparisonResult result : Comparison.ComparisonResult.values()) {
            if (result != Comparison.ComparisonResult.ONLY_CLAIMSTREAM
                    && result != Comparison.ComparisonResult.BOTH_PENDING) {
                meters.create(AllocatorMeter.COMPARISONS, result.text());
            }
        }
        for (IgnoredObservation.IgnoredReason reason : IgnoredObservation.IgnoredReason.values()) {
            for (String topic : List.of(Topics.INVENTORY, Topics.CLAIMS, Topics.OUTCOMES)) {
                meters.create(AllocatorMeter.IGNORED_RECORDS, topic, reason.text());
            }
        }
    }

    private CellFigures totals() {
        return CellFigures.sum(figures.values());
    }

    /** Health of the devices: degraded while an alarm is active, because only an operator can end it. */
    public Health.Condition alarms() {
        return new ActiveAlarms(reportedAlarms()).condition();
    }

    private List<Alarm> reportedAlarms() {
        return totals().alarms().stream()
                .filter(alarm ->
                        alarm.type() != Alarm.AlarmType.CONFLICT || doubleAllocations.isReported(alarm.device()))
                .toList();
    }

    private Map<List<String>, Long> activeAlarmCounts() {
        List<Alarm> active = reportedAlarms();
        return Arrays.stream(Alarm.AlarmType.values())
                .collect(Collectors.toMap(
                        type -> List.of(type.text()),
                        type -> active.stream()
                                .filter(alarm -> alarm.type() == type)
                                .count()));
    }

    /** Replaces the numbers of a cell. */
    void update(int cell, CellFigures now, Instant at) {
        doubleAllocations.restore(cell, now.alarms(), at);
        figures.put(cell, now);
    }

    /** Removes a cell that this process no longer has. */
    void remove(int cell) {
        figures.remove(cell);
        doubleAllocations.removeCell(cell);
    }

    /** Counts an observation that had no effect. */
    void countIgnored(IgnoredObservation record) {
        meters.count(
                AllocatorMeter.IGNORED_RECORDS,
                topic(record.observation()),
                record.reason().text());
    }

    private static String topic(Observation observation) {
        return switch (observation) {
            case Observation.ObjectUpserted upserted -> topic(upserted.object().kind());
            case Observation.ObjectDeleted deleted -> topic(deleted.kind());
            case Observation.KindSynced listed -> topic(listed.kind());
            case Observation.KindStale stale -> topic(stale.kind());
            case Observation.NodeLiveness _ -> Topics.INVENTORY;
            case Observation.CommitOutcome _ -> Topics.OUTCOMES;
            case Observation.ItemAssigned _,
                    Observation.OfferDeclined _,
                    Observation.NodeHandover _,
                    Observation.SettingsChanged _,
                    Observation.DecisionRestored _,
                    Observation.Tick _,
                    Observation.WorkSliceDue _,
                    Observation.Probe _ ->
                throw new IllegalArgumentException("no record of a public topic: " + observation);
        };
    }

    private static String topic(Kind kind) {
        return PublicRecord.isInventory(kind) ? Topics.INVENTORY : Topics.CLAIMS;
    }

    /** @param hashing how long the hash over the rows took */
    void recordSnapshot(int cell, Duration hashing) {
        meters.count(AllocatorMeter.SNAPSHOTS);
        meters.record(AllocatorMeter.SNAPSHOT_HASH, hashing, Integer.toString(cell));
    }

    /** Records an alarm about a device. A double allocation is reported only after the grace period. */
    void recordAlarm(int cell, Output.AlarmChanged alarmed, Instant now) {
        if (alarmed.alarm().type() != Alarm.AlarmType.CONFLICT) {
            report(cell, alarmed);
        } else if (!alarmed.isCleared()) {
            doubleAllocations.put(cell, alarmed.alarm(), now);
            reportDueAlarms(now);
        } else if (doubleAllocations.remove(alarmed.alarm())) {
            report(cell, alarmed);
        }
    }

    /** Reports the double allocations whose grace period has ended. */
    void reportDueAlarms(Instant now) {
        doubleAllocations.takeDue(now).forEach(due -> report(due.cell(), new Output.AlarmChanged(due.alarm(), false)));
    }

    /** Logs an alarm and counts it, for operators who do not read the ledger. */
    private void report(int cell, Output.AlarmChanged alarmed) {
        Alarm alarm = alarmed.alarm();
        if (!alarmed.isCleared()) {
            meters.count(AllocatorMeter.ALARMS, alarm.type().text());
        }
        boolean isConflict = alarm.type() == Alarm.AlarmType.CONFLICT && !alarmed.isCleared();
        LOG.atLevel(isConflict ? Level.ERROR : Level.WARN)
                .addKeyValue("cell", cell)
                .addKeyValue("device", alarm.device())
                .addKeyValue("claims", alarm.claims())
                .log(
                        alarmed.isCleared()
                                ? "the alarm has ended"
                                : switch (alarm.type()) {
                                    case CONFLICT ->
                                        "another allocator has also allocated this device: it is not allocated again while more than one claim has it";
                                    case DEVICE_LOST ->
                                        "this device is missing from its pool while it is allocated: it stays allocated until the claim is released";
                                    case OVERDRAWN ->
                                        "this device exceeds the current counters or capacity of its pool: it stays allocated, and no more of that resource is allocated";
                                });
    }

    /** Records that an item has used so much of its work budget that an operator should look at it. */
    void recordAlarm(int cell, Output.WorkAlarmRaised alarmed) {
        meters.count(AllocatorMeter.WORK_ALARMS);
        LOG.atWarn()
                .addKeyValue("cell", cell)
                .addKeyValue("item", alarmed.item())
                .addKeyValue("claims", alarmed.claims())
                .addKeyValue("work", alarmed.spent())
                .addKeyValue("explanation", alarmed.message())
                .log("a claim has a large search: it runs in slices and does not delay other claims");
    }

    /** @param latency time since the timestamp in the input */
    void recordDecision(int cell, Decision decision, Duration latency) {
        meters.record(AllocatorMeter.DECISION, latency, result(decision));
        if (logsDecisions) {
            log(cell, decision, latency);
        }
        if (traces.isOn()) {
            Instant now = Instant.now();
            traces.add(new Span(
                    decision.claimUid(),
                    Span.SpanStep.DECIDE,
                    decision.number(),
                    Optional.empty(),
                    now.minus(latency),
                    now,
                    new TreeMap<>(Map.of(
                            "claim",
                            decision.claim().toString(),
                            "result",
                            result(decision),
                            "node",
                            node(decision),
                            "reason",
                            reason(decision)))));
        }
    }

    /** Counts a comparison once kube-scheduler has allocated the claim. */
    void recordComparison(Comparison comparison) {
        if (comparison.actual().isPresent()) {
            meters.count(AllocatorMeter.COMPARISONS, comparison.result().text());
        }
    }

    static String result(Decision decision) {
        return switch (decision.result()) {
            case Decision.DecisionResult.Allocated allocated -> "allocated";
            case Decision.DecisionResult.Pending pending -> "pending";
            case Decision.DecisionResult.Revoked revoked -> "revoked";
            case Decision.DecisionResult.Deallocation deallocation -> "deallocation";
            case Decision.DecisionResult.Released released -> "released";
        };
    }

    /** Logs a decision. The keys are the same for all results. */
    private static void log(int cell, Decision decision, Duration latency) {
        DECISIONS
                .atInfo()
                .addKeyValue("claim", decision.claim().toString())
                .addKeyValue("uid", decision.claimUid())
                .addKeyValue("cell", cell)
                .addKeyValue("number", decision.number())
                .addKeyValue("result", result(decision))
                .addKeyValue("node", node(decision))
                .addKeyValue("devices", devices(decision))
                .addKeyValue("reason", reason(decision))
                .addKeyValue("latencyMicros", latency.toNanos() / 1000)
                .log("claim decided");
    }

    private static String node(Decision decision) {
        return decision.result() instanceof Decision.DecisionResult.Allocated allocated ? allocated.node() : "";
    }

    private static String devices(Decision decision) {
        return decision.result() instanceof Decision.DecisionResult.Allocated allocated
                ? allocated.allocation().results().stream()
                        .map(DeviceResult::device)
                        .map(device -> device.driver() + "/" + device.pool() + "/" + device.device())
                        .collect(Collectors.joining(" "))
                : "";
    }

    private static String reason(Decision decision) {
        return switch (decision.result()) {
            case Decision.DecisionResult.Allocated allocated -> "";
            case Decision.DecisionResult.Pending pending -> pending.reason().name();
            case Decision.DecisionResult.Revoked revoked -> revoked.message();
            case Decision.DecisionResult.Deallocation deallocation -> deallocation.message();
            case Decision.DecisionResult.Released released -> "";
        };
    }
}

package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.Alarm;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Ignored;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.kafka.Topics;
import dev.claimstream.observability.Health;
import dev.claimstream.observability.Meter;
import dev.claimstream.observability.Meters;
import dev.claimstream.wire.Published;
import java.time.Duration;
import java.time.Instant;
import java.util.SortedMap;
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

    private final Meters meters;
    private final boolean logsDecisions;
    private final SortedMap<Integer, CellFigures> figures = new ConcurrentSkipListMap<>();
    private final Contests contests;

    /**
     * Registers the meters of one process.
     *
     * @param logsDecisions whether each decision is logged
     * @param alarmGrace how long two claims must hold one device before the conflict is reported
     */
    public CellMeters(Meters meters, boolean logsDecisions, Duration alarmGrace) {
        this.meters = meters;
        this.logsDecisions = logsDecisions;
        this.contests = new Contests(alarmGrace);
        meters.show(Meter.CLAIMS, () -> now().claims());
        meters.show(Meter.DEVICES, () -> now().devices());
        meters.showOne(Meter.QUEUE_ITEMS, () -> now().waiting());
    }

    private CellFigures now() {
        return CellFigures.sum(figures.values());
    }

    /** Health of the devices: degraded while an alarm is active, because only an operator can end it. */
    public Health.Condition alarms() {
        return new StandingAlarms(now().alarms().stream()
                        .filter(alarm -> alarm.sort() != Alarm.Sort.CONFLICT || contests.isTold(alarm.device()))
                        .toList())
                .condition();
    }

    /** Replaces the numbers of a cell. */
    void stands(int cell, CellFigures now, Instant at) {
        contests.stand(cell, now.alarms(), at);
        figures.put(cell, now);
    }

    /** Removes a cell that this process no longer has. */
    void gone(int cell) {
        figures.remove(cell);
        contests.gone(cell);
    }

    /** Counts an observation that had no effect. */
    void ignored(Ignored record) {
        meters.count(Meter.IGNORED_RECORDS, topic(record.what()), record.why().text());
    }

    private static String topic(Observation what) {
        return switch (what) {
            case Observation.Seen seen -> topic(seen.object().kind());
            case Observation.Gone gone -> topic(gone.kind());
            case Observation.Listed listed -> topic(listed.kind());
            case Observation.Stale stale -> topic(stale.kind());
            case Observation.Heard _ -> Topics.INVENTORY;
            case Observation.Carried _ -> Topics.OUTCOMES;
            case Observation.Assigned _,
                    Observation.Declined _,
                    Observation.HandOver _,
                    Observation.Configured _,
                    Observation.Restored _,
                    Observation.Tick _,
                    Observation.Continue _,
                    Observation.Probe _ -> throw new IllegalArgumentException("no record of a public topic: " + what);
        };
    }

    private static String topic(Kind kind) {
        return Published.isInventory(kind) ? Topics.INVENTORY : Topics.CLAIMS;
    }

    /** @param hashing how long the hash over the rows took */
    void snapshot(int cell, Duration hashing) {
        meters.count(Meter.SNAPSHOTS);
        meters.took(Meter.SNAPSHOT_HASH, hashing, Integer.toString(cell));
    }

    /** Records an alarm about a device. A conflict is reported only after the grace period. */
    void alarmed(int cell, Output.Alarmed alarmed, Instant now) {
        if (alarmed.alarm().sort() != Alarm.Sort.CONFLICT) {
            tell(cell, alarmed);
        } else if (!alarmed.over()) {
            contests.begins(cell, alarmed.alarm(), now);
            tellContests(now);
        } else if (contests.ends(alarmed.alarm())) {
            tell(cell, alarmed);
        }
    }

    /** Reports the conflicts whose grace period has ended. */
    void tellContests(Instant now) {
        contests.due(now).forEach(due -> tell(due.cell(), new Output.Alarmed(due.alarm(), false)));
    }

    /** Logs an alarm and counts it, for operators who do not read the ledger. */
    private void tell(int cell, Output.Alarmed alarmed) {
        Alarm alarm = alarmed.alarm();
        if (!alarmed.over()) {
            meters.count(Meter.ALARMS, alarm.sort().text());
        }
        boolean isDanger = alarm.sort() == Alarm.Sort.CONFLICT && !alarmed.over();
        LOG.atLevel(isDanger ? Level.ERROR : Level.WARN)
                .addKeyValue("cell", cell)
                .addKeyValue("device", alarm.device())
                .addKeyValue("claims", alarm.claims())
                .log(
                        alarmed.over()
                                ? "the alarm is over"
                                : switch (alarm.sort()) {
                                    case CONFLICT ->
                                        "somebody else has given out this device too: nobody gets it before at most one claim has it";
                                    case DEVICE_LOST ->
                                        "this device is gone from its pool while a claim has it: it stays held until the claim gives it back";
                                    case OVERDRAWN ->
                                        "this device takes more of its pool's counters or of its capacity than there is by now: it stays with its claims, and nothing more of that is given";
                                });
    }

    /** Records that an item has used so much of its work budget that an operator should look at it. */
    void alarmed(int cell, Output.WorkAlarmed alarmed) {
        meters.count(Meter.WORK_ALARMS);
        LOG.atWarn()
                .addKeyValue("cell", cell)
                .addKeyValue("item", alarmed.item())
                .addKeyValue("claims", alarmed.claims())
                .addKeyValue("work", alarmed.spent())
                .addKeyValue("message", alarmed.message())
                .log("a claim needs very much evaluation work: it is done in slices and does not delay other claims");
    }

    /** @param latency time since the timestamp in the input */
    void decided(int cell, Decision decision, Duration latency) {
        meters.took(Meter.DECISION, latency, verdict(decision));
        if (logsDecisions) {
            log(cell, decision, latency);
        }
    }

    static String verdict(Decision decision) {
        return switch (decision.verdict()) {
            case Decision.Verdict.Granted granted -> "granted";
            case Decision.Verdict.Waits waits -> "waits";
            case Decision.Verdict.Revoked revoked -> "revoked";
            case Decision.Verdict.Deallocation deallocation -> "deallocated";
            case Decision.Verdict.Released released -> "released";
        };
    }

    /** Logs a decision. The keys are the same for all verdicts. */
    private static void log(int cell, Decision decision, Duration latency) {
        DECISIONS
                .atInfo()
                .addKeyValue("claim", decision.claim().toString())
                .addKeyValue("uid", decision.claimUid())
                .addKeyValue("cell", cell)
                .addKeyValue("number", decision.number())
                .addKeyValue("verdict", verdict(decision))
                .addKeyValue("node", node(decision))
                .addKeyValue("devices", devices(decision))
                .addKeyValue("reason", reason(decision))
                .addKeyValue("latencyMicros", latency.toNanos() / 1000)
                .log("claim decided");
    }

    private static String node(Decision decision) {
        return decision.verdict() instanceof Decision.Verdict.Granted granted ? granted.node() : "";
    }

    private static String devices(Decision decision) {
        return decision.verdict() instanceof Decision.Verdict.Granted granted
                ? granted.allocation().results().stream()
                        .map(DeviceResult::device)
                        .map(device -> device.driver() + "/" + device.pool() + "/" + device.device())
                        .collect(Collectors.joining(" "))
                : "";
    }

    private static String reason(Decision decision) {
        return switch (decision.verdict()) {
            case Decision.Verdict.Granted granted -> "";
            case Decision.Verdict.Waits waits -> waits.reason().name();
            case Decision.Verdict.Revoked revoked -> revoked.why();
            case Decision.Verdict.Deallocation deallocation -> deallocation.why();
            case Decision.Verdict.Released released -> "";
        };
    }
}

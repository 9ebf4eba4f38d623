package dev.claimstream.observability;

import java.util.List;

/** All meters, each with its name, meaning and labels. The README of the module has the same list. */
public enum Meter {
    CLAIMS(
            "claimstream.claims",
            MeterType.GAUGE,
            "Claims by state (allocated, pending) and, if pending, by reason. Each claim counts once. A claim that several items need counts under the reason of the first item in the queue. A claim that is being revoked counts as allocated until the revoke is committed.",
            "state",
            "reason"),
    QUEUE_ITEMS("claimstream.queue.items", MeterType.GAUGE, "Pending work items."),
    DEVICES(
            "claimstream.devices",
            MeterType.GAUGE,
            "Devices by driver, class and state: free, allocated, tainted, unusable, lost.",
            "driver",
            "class",
            "state"),
    DECISION(
            "claimstream.decision",
            MeterType.HISTOGRAM,
            "Time from the timestamp in an input to the resulting decision, by result.",
            "result"),
    COMPARISONS(
            "claimstream.comparisons",
            MeterType.COUNTER,
            "Claims that kube-scheduler has allocated in observe-only mode, by the result of the comparison with Claimstream's"
                    + " decision: same, other-devices, other-node, only-kube-scheduler, not-compared.",
            "result"),
    ALARMS(
            "claimstream.alarms",
            MeterType.COUNTER,
            "Alarms by kind: conflict, device-lost and overdrawn are about a device, input-failing about an input that fails repeatedly.",
            "kind"),
    WORK_ALARMS(
            "claimstream.work.alarms",
            MeterType.COUNTER,
            "Work items whose search exceeded the reporting limit; at most one per namespace and hour."),
    CELL_LAG(
            "claimstream.cell.lag.records",
            MeterType.GAUGE,
            "Records that the cells (cells.in) and the router (router.in) of this process have not processed, by topic: log end offset minus the first offset that is not processed.",
            "topic"),
    INPUT_SECONDS(
            "claimstream.cell.input.seconds",
            MeterType.GAUGE,
            "Seconds that a cell, or the router, has worked on its current input, by cell; 0 between inputs.",
            "cell"),
    INPUT_ATTEMPTS(
            "claimstream.cell.input.attempts",
            MeterType.GAUGE,
            "Number of the attempt at the current input, or at the input that fails repeatedly, by cell; 0 between inputs.",
            "cell"),
    CELL_RESTORE(
            "claimstream.cell.restore.records",
            MeterType.GAUGE,
            "Changelog records that the cells must still restore."),
    CELL_COMMITS("claimstream.cell.commits", MeterType.COUNTER, "Commits of the stream threads."),
    CELL_TASKS("claimstream.cell.tasks", MeterType.GAUGE, "Cells that are active in this process."),
    CELL_FAILURES("claimstream.cell.failures", MeterType.COUNTER, "Stream threads that ended with an exception."),
    SNAPSHOTS("claimstream.cell.snapshots", MeterType.COUNTER, "Snapshots in the ledger."),
    SNAPSHOT_HASH(
            "claimstream.cell.snapshot.hash",
            MeterType.HISTOGRAM,
            "Time that a cell needed for the hash in a snapshot, by cell. The hash covers the rows changed since the last snapshot; after a start it also covers the rows not hashed yet.",
            "cell"),
    INTAKE_LAG(
            "claimstream.intake.lag.records",
            MeterType.GAUGE,
            "Lag of the intake on the public topics, by topic.",
            "topic"),
    INTAKE_RECORDS(
            "claimstream.intake.records",
            MeterType.COUNTER,
            "Records that the intake has consumed, by topic.",
            "topic"),
    INTAKE_RETRIES(
            "claimstream.intake.retries",
            MeterType.COUNTER,
            "Restarts of the intake from its last committed offset after a failed write or a missing response."),
    BAD_RECORDS(
            "claimstream.bad.records",
            MeterType.COUNTER,
            "Records that were set aside, by topic and reason.",
            "topic",
            "reason"),
    BROKER_REJECTED(
            "claimstream.broker.rejected.bytes",
            MeterType.COUNTER,
            "Bytes that the broker of this process rejected because they exceed the limit of their topic, by public topic; no service reads them. Not available with an external Kafka: see its metric kafka.server:type=BrokerTopicMetrics,name=BytesRejectedPerSec,topic=TOPIC.",
            "topic"),
    IGNORED_RECORDS(
            "claimstream.ignored.records",
            MeterType.COUNTER,
            "Records that changed nothing, by topic and reason: stale (older than the current state; some are normal), foreign (about the object of another source), unknown-decision (the outcome of a decision that was never made). Repeated records do not count. With several cells, classes, taint rules and liveness do not count.",
            "topic",
            "reason"),
    WATCHER_SYNCED(
            "claimstream.watcher.synced",
            MeterType.GAUGE,
            "1 if the kind is synced and published, 0 if it is being listed or is not watched, by kind.",
            "kind"),
    WATCHER_LAG(
            "claimstream.watcher.lag.changes",
            MeterType.GAUGE,
            "Changes that the watcher has received and not published yet, by kind.",
            "kind"),
    WATCHER_RECORDS(
            "claimstream.watcher.records",
            MeterType.COUNTER,
            "Records that the watcher has published, by kind.",
            "kind"),
    WATCHER_RETRIES(
            "claimstream.watcher.retries",
            MeterType.COUNTER,
            "Retries of a kind because the API server, Kafka or the schema registry did not respond."),
    WRITER_DECISIONS("claimstream.writer.decisions", MeterType.COUNTER, "Completed decisions, by outcome.", "outcome"),
    WRITER_PENDING_DECISIONS(
            "claimstream.writer.pending.decisions",
            MeterType.GAUGE,
            "Decisions that the writer has read and not completed."),
    WRITER_RETRIES(
            "claimstream.writer.retries", MeterType.COUNTER, "Retries of decisions that could not be committed.");

    /** The type of a meter. */
    public enum MeterType {
        /** A value that goes up and down. */
        GAUGE("gauge"),
        /** A value that only goes up; the name ends in _total. */
        COUNTER("counter"),
        /** Durations in seconds, in buckets; the name ends in _seconds. */
        HISTOGRAM("histogram");

        private final String text;

        MeterType(String text) {
            this.text = text;
        }

        /** The type's name in Prometheus. */
        public String text() {
            return text;
        }
    }

    private final String base;
    private final MeterType type;
    private final String meaning;

    @SuppressWarnings("ImmutableEnumChecker") // immutable: made by List.of
    private final List<String> labels;

    Meter(String base, MeterType type, String meaning, String... labels) {
        this.base = base;
        this.type = type;
        this.meaning = meaning;
        this.labels = List.of(labels);
    }

    /** The name in Prometheus. */
    public String prometheusName() {
        String name = base.replace('.', '_');
        return switch (type) {
            case GAUGE -> name;
            case COUNTER -> name + "_total";
            case HISTOGRAM -> name + "_seconds";
        };
    }

    /** The name without the suffixes of Prometheus. */
    String base() {
        return base;
    }

    /** The type. */
    public MeterType type() {
        return type;
    }

    /** The meaning, in one sentence. */
    public String meaning() {
        return meaning;
    }

    /** The names of the labels, in the order of their values. */
    public List<String> labels() {
        return labels;
    }
}

package dev.claimstream.observability;

import java.util.List;

/** All meters, each with its name, meaning and labels. The README of the module has the same list. */
public enum Meter {
    CLAIMS(
            "claimstream.claims",
            MeterType.GAUGE,
            "Claims by state (granted, waiting) and, where they wait, by reason. Each counts once: one that several wait for under the reason of the first of them in the queue, and one that is to be taken back as granted until that is done.",
            "state",
            "reason"),
    QUEUE_ITEMS("claimstream.queue.items", MeterType.GAUGE, "Work items that wait."),
    DEVICES(
            "claimstream.devices",
            MeterType.GAUGE,
            "Devices by driver, class and state: free, held, tainted, unusable, lost.",
            "driver",
            "class",
            "state"),
    DECISION(
            "claimstream.decision",
            MeterType.HISTOGRAM,
            "From the time in an input to the decision that it led to, by verdict.",
            "verdict"),
    ALARMS(
            "claimstream.alarms",
            MeterType.COUNTER,
            "Alarms by kind: conflict, device-lost and overdrawn are about a device, input-failing about an input that fails repeatedly.",
            "alarm"),
    WORK_ALARMS(
            "claimstream.work.alarms",
            MeterType.COUNTER,
            "Items that needed so much work that it was reported; at most one per namespace and hour."),
    CELL_LAG(
            "claimstream.cell.lag.records",
            MeterType.GAUGE,
            "Records that the cells (cells.in) and the router (router.in) of this process have not processed, by topic: log end offset minus the first offset that is not processed.",
            "topic"),
    INPUT_SECONDS(
            "claimstream.cell.input.seconds",
            MeterType.GAUGE,
            "Seconds that a cell, or the router, has worked on its present input, by cell; 0 between inputs.",
            "cell"),
    INPUT_ATTEMPTS(
            "claimstream.cell.input.attempts",
            MeterType.GAUGE,
            "Number of the attempt at the present input, or at the input that fails repeatedly, by cell; 0 between inputs.",
            "cell"),
    CELL_RESTORE(
            "claimstream.cell.restore.records",
            MeterType.GAUGE,
            "Records of changelogs that are still to be read before the cells work."),
    CELL_COMMITS("claimstream.cell.commits", MeterType.COUNTER, "Commits of the stream threads."),
    CELL_TASKS("claimstream.cell.tasks", MeterType.GAUGE, "Cells that this process works on."),
    CELL_FAILURES("claimstream.cell.failures", MeterType.COUNTER, "Stream threads that ended by an exception."),
    SNAPSHOTS("claimstream.cell.snapshots", MeterType.COUNTER, "Snapshots in the ledger."),
    SNAPSHOT_HASH(
            "claimstream.cell.snapshot.hash",
            MeterType.HISTOGRAM,
            "The time that a cell took for the hash in a snapshot, by cell: over what has changed since the last, and after a start over the rows that it has not come to yet.",
            "cell"),
    INTAKE_LAG(
            "claimstream.intake.lag.records",
            MeterType.GAUGE,
            "Records of public topics that the intake has not taken yet, by topic.",
            "topic"),
    INTAKE_RECORDS(
            "claimstream.intake.records", MeterType.COUNTER, "Records that the intake has taken, by topic.", "topic"),
    INTAKE_RETRIES(
            "claimstream.intake.retries",
            MeterType.COUNTER,
            "Times that the intake went back to its last commit because something was not kept or not answered."),
    BAD_RECORDS(
            "claimstream.bad.records",
            MeterType.COUNTER,
            "Records that were set aside, by topic and reason.",
            "topic",
            "reason"),
    BROKER_REJECTED(
            "claimstream.broker.rejected.bytes",
            MeterType.COUNTER,
            "Bytes that the broker of this process refused because they are over the limit of their topic, by public topic; no service sees them. Not shown with a Kafka of one's own: its metric kafka.server:type=BrokerTopicMetrics,name=BytesRejectedPerSec,topic=TOPIC says the same.",
            "topic"),
    IGNORED_RECORDS(
            "claimstream.ignored.records",
            MeterType.COUNTER,
            "Records that changed nothing, by topic and reason: stale (older than what is known; some are normal), foreign (about the object of another source), unknown-decision (the outcome of a decision that was never made). What only repeats what is known does not count, nor do, with several cells, classes, taint rules and liveness.",
            "topic",
            "reason"),
    WATCHER_FRESH(
            "claimstream.watcher.fresh",
            MeterType.GAUGE,
            "1 where all of a kind is published up to now, 0 where it is listed or not followed, by kind.",
            "kind"),
    WATCHER_LAG(
            "claimstream.watcher.lag.changes",
            MeterType.GAUGE,
            "Changes that the cluster has told and the watcher has not published yet, by kind.",
            "kind"),
    WATCHER_RECORDS(
            "claimstream.watcher.records",
            MeterType.COUNTER,
            "Records that the watcher has published, by kind.",
            "kind"),
    WATCHER_RETRIES(
            "claimstream.watcher.retries",
            MeterType.COUNTER,
            "Times that a kind could not be followed because cluster, broker or registry did not answer."),
    WRITER_DECISIONS(
            "claimstream.writer.decisions", MeterType.COUNTER, "Decisions that are done, by outcome.", "outcome"),
    WRITER_OPEN(
            "claimstream.writer.open", MeterType.GAUGE, "Decisions that the writer has read and that are not done."),
    WRITER_RETRIES(
            "claimstream.writer.retries", MeterType.COUNTER, "Times that a decision could not be carried out yet.");

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

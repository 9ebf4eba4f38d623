package dev.claimstream.observability;

import java.util.List;

/** All meters, each with its name, unit, meaning and labels. {@code services/METRICS.md} is generated from them. */
public enum Meter {
    CLAIMS(
            "claimstream.claims",
            MeterType.GAUGE,
            "claims",
            MeterSource.ALLOCATOR,
            "once a claim exists",
            "Claims by state (allocated, pending) and, if pending, by reason. Each claim counts once. A claim that several items need counts under the reason of the first item in the queue. A claim that is being revoked counts as allocated until the revoke is committed.",
            MeterLabel.CLAIM_STATE,
            MeterLabel.PENDING_REASON),
    QUEUE_ITEMS(
            "claimstream.queue.items",
            MeterType.GAUGE,
            "items",
            MeterSource.ALLOCATOR,
            "always",
            "Pending work items."),
    QUEUE_FINDINGS(
            "claimstream.queue.findings",
            MeterType.GAUGE,
            "findings",
            MeterSource.CONSOLE,
            "always",
            "Claims that were allocated and rejected repeatedly, and classes of which no claim is allocated although claims have been pending for 10 minutes. `claimstream queue` has their history.",
            MeterLabel.QUEUE_FINDING),
    DEVICES(
            "claimstream.devices",
            MeterType.GAUGE,
            "devices",
            MeterSource.ALLOCATOR,
            "once a device exists",
            "Devices by driver, class and state: free, allocated, tainted, unusable, lost.",
            MeterLabel.DRIVER,
            MeterLabel.DEVICE_CLASS,
            MeterLabel.DEVICE_STATE),
    DECISION(
            "claimstream.decision",
            MeterType.HISTOGRAM,
            "seconds",
            MeterSource.ALLOCATOR,
            "always",
            "Time from the timestamp in an input to the resulting decision, by result.",
            MeterLabel.DECISION_RESULT),
    COMPARISONS(
            "claimstream.comparisons",
            MeterType.COUNTER,
            "claims",
            MeterSource.ALLOCATOR,
            "always",
            "Claims that kube-scheduler has allocated in observe-only mode, by the result of the comparison with Claimstream's decision: same, other-devices, other-node, only-kube-scheduler, not-compared.",
            MeterLabel.COMPARISON_RESULT),
    ALARMS(
            "claimstream.alarms",
            MeterType.COUNTER,
            "alarms",
            MeterSource.ALLOCATOR,
            "always",
            "Alarms that began, by kind: conflict, device-lost and overdrawn are about a device, input-failing about an input that fails repeatedly (one per attempt).",
            MeterLabel.ALARM),
    ACTIVE_ALARMS(
            "claimstream.active.alarms",
            MeterType.GAUGE,
            "devices",
            MeterSource.ALLOCATOR,
            "always",
            "Devices with an active alarm, by kind: conflict (several claims have the device), device-lost (allocated, and its pool no longer publishes it), overdrawn (consumed beyond what its pool has).",
            MeterLabel.DEVICE_ALARM),
    WORK_ALARMS(
            "claimstream.work.alarms",
            MeterType.COUNTER,
            "items",
            MeterSource.ALLOCATOR,
            "always",
            "Work items whose search exceeded the reporting limit; at most one per namespace and hour."),
    CELL_LAG(
            "claimstream.cell.lag.records",
            MeterType.GAUGE,
            "records",
            MeterSource.ALLOCATOR,
            "while a cell is active",
            "Records that the cells (cells.in) and the router (router.in) of this process have not processed, by topic: log end offset minus the first offset that is not processed.",
            MeterLabel.CELL_TOPIC),
    INPUT_SECONDS(
            "claimstream.cell.input.seconds",
            MeterType.GAUGE,
            "seconds",
            MeterSource.ALLOCATOR,
            "while a cell is active",
            "Seconds that a cell, or the router, has worked on its current input, by cell; 0 between inputs.",
            MeterLabel.CELL),
    INPUT_ATTEMPTS(
            "claimstream.cell.input.attempts",
            MeterType.GAUGE,
            "attempts",
            MeterSource.ALLOCATOR,
            "while a cell is active",
            "Number of the attempt at the current input, or at the input that fails repeatedly, by cell; 0 between inputs.",
            MeterLabel.CELL),
    CELL_RESTORE(
            "claimstream.cell.restore.records",
            MeterType.GAUGE,
            "records",
            MeterSource.ALLOCATOR,
            "always",
            "Changelog records that the cells must still restore."),
    CELL_COMMITS(
            "claimstream.cell.commits",
            MeterType.COUNTER,
            "commits",
            MeterSource.ALLOCATOR,
            "always",
            "Commits of the stream threads."),
    CELL_TASKS(
            "claimstream.cell.tasks",
            MeterType.GAUGE,
            "cells",
            MeterSource.ALLOCATOR,
            "always",
            "Cells that are active in this process."),
    ARCHIVE_AGE(
            "claimstream.archive.age.seconds",
            MeterType.GAUGE,
            "seconds",
            MeterSource.ALLOCATOR,
            "with `claimstream.archive.folder`",
            "Seconds since the archive had every record of `cells.in`, `router.in` and `ledger.v1`."),
    SHADOW_INPUTS(
            "claimstream.shadow.inputs",
            MeterType.GAUGE,
            "inputs",
            MeterSource.ALLOCATOR,
            "with `claimstream.shadow.enabled`",
            "Recorded inputs that the shadow has decided again since its start."),
    SHADOW_DIVERGENCES(
            "claimstream.shadow.divergences",
            MeterType.GAUGE,
            "cells",
            MeterSource.ALLOCATOR,
            "with `claimstream.shadow.enabled`",
            "Cells whose ledger differs from the shadow."),
    SHADOW_CLAIMS(
            "claimstream.shadow.claims",
            MeterType.GAUGE,
            "claims",
            MeterSource.ALLOCATOR,
            "with `claimstream.shadow.policy`",
            "Claims since the start of the shadow, by how its policy places them beside the record.",
            MeterLabel.SHADOW_PLACEMENT),
    SHADOW_WAIT(
            "claimstream.shadow.wait.seconds",
            MeterType.GAUGE,
            "seconds",
            MeterSource.ALLOCATOR,
            "with `claimstream.shadow.policy`",
            "Mean time from a claim to its first allocation, over the last 100,000 claims of each side.",
            MeterLabel.SHADOW_SIDE),
    SHADOW_DEVICES(
            "claimstream.shadow.allocated.devices",
            MeterType.GAUGE,
            "devices",
            MeterSource.ALLOCATOR,
            "with `claimstream.shadow.policy`",
            "Allocated devices in the record, and under the policy of the shadow.",
            MeterLabel.SHADOW_SIDE),
    CELL_FAILURES(
            "claimstream.cell.failures",
            MeterType.COUNTER,
            "failures",
            MeterSource.ALLOCATOR,
            "always",
            "Stream threads that ended with an exception."),
    SNAPSHOTS(
            "claimstream.cell.snapshots",
            MeterType.COUNTER,
            "snapshots",
            MeterSource.ALLOCATOR,
            "always",
            "Snapshots in the ledger."),
    SNAPSHOT_HASH(
            "claimstream.cell.snapshot.hash",
            MeterType.HISTOGRAM,
            "seconds",
            MeterSource.ALLOCATOR,
            "after the first snapshot",
            "Time that a cell needed for the hash in a snapshot, by cell. The hash covers the rows changed since the last snapshot; after a start it also covers the rows not hashed yet.",
            MeterLabel.CELL),
    INTAKE_LAG(
            "claimstream.intake.lag.records",
            MeterType.GAUGE,
            "records",
            MeterSource.ALLOCATOR,
            "while the intake has partitions",
            "Lag of the intake on the public topics, by topic.",
            MeterLabel.PUBLIC_TOPIC),
    INTAKE_RECORDS(
            "claimstream.intake.records",
            MeterType.COUNTER,
            "records",
            MeterSource.ALLOCATOR,
            "always",
            "Records that the intake has consumed, by topic.",
            MeterLabel.PUBLIC_TOPIC),
    INTAKE_RETRIES(
            "claimstream.intake.retries",
            MeterType.COUNTER,
            "retries",
            MeterSource.ALLOCATOR,
            "always",
            "Restarts of the intake from its last committed offset after a failed write or a missing response."),
    BAD_RECORDS(
            "claimstream.bad.records",
            MeterType.COUNTER,
            "records",
            MeterSource.ALLOCATOR,
            "always",
            "Records that were set aside, by topic and reason.",
            MeterLabel.PUBLIC_TOPIC,
            MeterLabel.BAD_RECORD_REASON),
    BROKER_REJECTED(
            "claimstream.broker.rejected.bytes",
            MeterType.COUNTER,
            "bytes",
            MeterSource.UP,
            "always",
            "Bytes that the broker of this process rejected because they exceed the limit of their topic, by public topic; no service reads them. Not available with an external Kafka: see its metric kafka.server:type=BrokerTopicMetrics,name=BytesRejectedPerSec,topic=TOPIC.",
            MeterLabel.PRODUCER_TOPIC),
    BROKER_CUT(
            "claimstream.broker.cut.requests",
            MeterType.COUNTER,
            "requests",
            MeterSource.UP,
            "always",
            "Requests that the broker of this process cut because they exceed socket.request.max.bytes: it closes the connection without a response. Not available with an external Kafka: its log names such requests with InvalidReceiveException."),
    IGNORED_RECORDS(
            "claimstream.ignored.records",
            MeterType.COUNTER,
            "records",
            MeterSource.ALLOCATOR,
            "always",
            "Records that changed nothing, by topic and reason: stale (older than the current state; some are normal), foreign (about the object of another source), unknown-decision (the outcome of a decision that was never made). Repeated records do not count. With several cells, classes, taint rules and liveness do not count.",
            MeterLabel.PUBLIC_TOPIC,
            MeterLabel.IGNORED_REASON),
    WATCHER_SYNCED(
            "claimstream.watcher.synced",
            MeterType.GAUGE,
            "0 or 1",
            MeterSource.WATCHER,
            "always",
            "1 if the kind is synced and published, 0 if it is being listed or is not watched, by kind.",
            MeterLabel.KIND),
    WATCHER_LAG(
            "claimstream.watcher.lag.changes",
            MeterType.GAUGE,
            "changes",
            MeterSource.WATCHER,
            "always",
            "Changes that the watcher has received and not published yet, by kind.",
            MeterLabel.KIND),
    WATCHER_RECORDS(
            "claimstream.watcher.records",
            MeterType.COUNTER,
            "records",
            MeterSource.WATCHER,
            "always",
            "Records that the watcher has published, by kind.",
            MeterLabel.KIND),
    WATCHER_RETRIES(
            "claimstream.watcher.retries",
            MeterType.COUNTER,
            "retries",
            MeterSource.WATCHER,
            "always",
            "Retries of a kind because the API server, Kafka or the schema registry did not respond."),
    WRITER_DECISIONS(
            "claimstream.writer.decisions",
            MeterType.COUNTER,
            "decisions",
            MeterSource.WRITER,
            "always",
            "Completed decisions, by outcome.",
            MeterLabel.OUTCOME),
    WRITER_PENDING_DECISIONS(
            "claimstream.writer.pending.decisions",
            MeterType.GAUGE,
            "decisions",
            MeterSource.WRITER,
            "always",
            "Decisions that the writer has read and not completed."),
    COMMIT(
            "claimstream.writer.commit",
            MeterType.HISTOGRAM,
            "seconds",
            MeterSource.WRITER,
            "always",
            "Time from the timestamp of the input that led to an allocation to the report that the allocation is committed."),
    WRITER_RETRIES(
            "claimstream.writer.retries",
            MeterType.COUNTER,
            "retries",
            MeterSource.WRITER,
            "always",
            "Retries of decisions that could not be committed."),
    HISTORY_EVENTS(
            "claimstream.history.events",
            MeterType.COUNTER,
            "events",
            MeterSource.HISTORY,
            "in a process with the history",
            "Inputs and ledger events that the history has folded since its start."),
    HISTORY_AGE(
            "claimstream.history.age.seconds",
            MeterType.GAUGE,
            "seconds",
            MeterSource.HISTORY,
            "in a process with the history",
            "Seconds since the history had every input that the cells have processed, and its ledger events. Before the first time: since its start."),
    HISTORY_LAG(
            "claimstream.history.lag.records",
            MeterType.GAUGE,
            "records",
            MeterSource.HISTORY,
            "in a process with the history",
            "Records of `cells.in` and `ledger.v1` that the history still had to fold when it last compared."),
    HISTORY_INTERVALS(
            "claimstream.history.intervals",
            MeterType.GAUGE,
            "intervals",
            MeterSource.HISTORY,
            "in a process with the history",
            "Intervals in the database, by state: open, ended.",
            MeterLabel.INTERVAL_STATE),
    HISTORY_OVERLAPS(
            "claimstream.history.overlaps",
            MeterType.COUNTER,
            "overlaps",
            MeterSource.HISTORY,
            "in a process with the history",
            "Times that two claims held one device beyond its sharing, as found since the start of the process. A history that is built again finds all of them again."),
    HISTORY_QUERY(
            "claimstream.history.query",
            MeterType.HISTOGRAM,
            "seconds",
            MeterSource.HISTORY,
            "in a process with the history",
            "Time to answer or reject a question, by question.",
            MeterLabel.HISTORY_QUESTION),
    NODE_POOL_DEVICES(
            "claimstream.node.pool.devices",
            MeterType.GAUGE,
            "devices",
            MeterSource.CONSOLE,
            "once a device exists",
            "Devices by node pool, driver, product and state: free, allocated, tainted, unusable. A missing device that a claim holds counts as allocated.",
            MeterLabel.NODE_POOL,
            MeterLabel.DRIVER,
            MeterLabel.PRODUCT,
            MeterLabel.CONSOLE_DEVICE_STATE),
    NAMESPACE_DEVICES(
            "claimstream.namespace.devices",
            MeterType.GAUGE,
            "devices",
            MeterSource.CONSOLE,
            "once a claim is allocated",
            "Allocated devices by the namespace of the claim and by use: used, idle, unmeasured. A device that claims of several namespaces share counts once in each.",
            MeterLabel.CLAIM_NAMESPACE,
            MeterLabel.DRIVER,
            MeterLabel.REQUESTED_CLASS,
            MeterLabel.PRODUCT,
            MeterLabel.DEVICE_USE),
    NAMESPACE_CLAIMS(
            "claimstream.namespace.claims",
            MeterType.GAUGE,
            "claims",
            MeterSource.CONSOLE,
            "once a claim exists",
            "Claims by namespace and state: allocated, pending. A claim without a decision counts as pending.",
            MeterLabel.CLAIM_NAMESPACE,
            MeterLabel.CLAIM_STATE),
    NAMESPACE_PENDING(
            "claimstream.namespace.pending.seconds",
            MeterType.GAUGE,
            "seconds",
            MeterSource.CONSOLE,
            "once a claim exists",
            "Sum of the ages of the pending claims of a namespace. Divided by the number of its pending claims it is their mean age.",
            MeterLabel.CLAIM_NAMESPACE),
    DEVICE_INFO(
            "claimstream.device.info",
            MeterType.GAUGE,
            "devices",
            MeterSource.CONSOLE,
            "with `claimstream.console.device-metrics`",
            "Always 1: a device with the claim that holds it, one series per claim; without a holder the labels of the claim are empty. The labels join the series of the vendors' exporters to claims.",
            MeterLabel.NODE,
            MeterLabel.NODE_POOL,
            MeterLabel.DRIVER,
            MeterLabel.POOL,
            MeterLabel.DEVICE,
            MeterLabel.PRODUCT,
            MeterLabel.UUID,
            MeterLabel.SERIAL,
            MeterLabel.INDEX,
            MeterLabel.REQUESTED_CLASS,
            MeterLabel.CLAIM_NAMESPACE,
            MeterLabel.CLAIM),
    PART_STATUS(
            "claimstream.part.status",
            MeterType.GAUGE,
            "status",
            MeterSource.ALL,
            "once the part has started",
            "Status of each part of the health: 0 up, 1 degraded, 2 down, 3 ended for good.",
            MeterLabel.PART),
    DROPPED_SPANS(
            "claimstream.trace.spans.dropped",
            MeterType.COUNTER,
            "spans",
            MeterSource.ALL,
            "always",
            "Spans that were dropped because the collector did not accept them in time; 0 without tracing.");

    private static final String ALWAYS = "always";

    private final String base;
    private final MeterType type;
    private final String unit;
    private final MeterSource source;
    private final String presence;
    private final String meaning;

    @SuppressWarnings("ImmutableEnumChecker") // immutable: made by List.of
    private final List<MeterLabel> labels;

    Meter(
            String base,
            MeterType type,
            String unit,
            MeterSource source,
            String presence,
            String meaning,
            MeterLabel... labels) {
        this.base = base;
        this.type = type;
        this.unit = unit;
        this.source = source;
        this.presence = presence;
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

    /** The base unit; the name has it if it is seconds or bytes. */
    public String unit() {
        return unit;
    }

    /** The processes that have the meter. */
    public MeterSource source() {
        return source;
    }

    /** When the meter has series. */
    public String presence() {
        return presence;
    }

    /** Whether the meter has series from the start of its process. */
    public boolean isAlwaysPresent() {
        return presence.equals(ALWAYS);
    }

    /** The labels, in the order of their values. */
    public List<MeterLabel> labels() {
        return labels;
    }

    /**
     * The maximum number of label sets in one cluster. A histogram has several series per label set.
     *
     * @see #rowsMax
     */
    public long labelSetsMax() {
        long fixed = 1;
        long all = 1;
        for (MeterLabel label : labels) {
            fixed *= label.isOpen() ? 1 : label.valuesMax();
            all = Math.min(Integer.MAX_VALUE, all * label.valuesMax());
        }
        return all > rowsMax() ? rowsMax() + fixed : all;
    }

    /** Maximum rows of a gauge whose labels producers choose; the rows beyond it are added up. */
    int rowsMax() {
        return this == DEVICE_INFO ? Meters.DEVICES_MAX : Meters.ROWS_MAX;
    }
}

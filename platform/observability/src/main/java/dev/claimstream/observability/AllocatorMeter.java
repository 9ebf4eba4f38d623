package dev.claimstream.observability;

import java.util.List;

/** The meters of the allocator, its shadow and its archive. */
public enum AllocatorMeter implements Meter {
    CLAIMS(
            "claimstream.claims",
            MeterType.GAUGE,
            "claims",
            "once a claim exists",
            "Claims by state (allocated, pending) and, if pending, by reason. Each claim counts once. A claim that several items need counts under the reason of the first item in the queue. A claim that is being revoked counts as allocated until the revoke is committed.",
            MeterLabel.CLAIM_STATE,
            MeterLabel.PENDING_REASON),
    QUEUE_ITEMS("claimstream.queue.items", MeterType.GAUGE, "items", "always", "Pending work items."),
    DEVICES(
            "claimstream.devices",
            MeterType.GAUGE,
            "devices",
            "once a device exists",
            "Devices by driver, class and state: free, allocated, tainted, unusable, lost.",
            MeterLabel.DRIVER,
            MeterLabel.DEVICE_CLASS,
            MeterLabel.DEVICE_STATE),
    DECISION(
            "claimstream.decision",
            MeterType.HISTOGRAM,
            "seconds",
            "always",
            "Time from the timestamp in an input to the resulting decision, by result.",
            MeterLabel.DECISION_RESULT),
    COMPARISONS(
            "claimstream.comparisons",
            MeterType.COUNTER,
            "claims",
            "always",
            "Claims that kube-scheduler has allocated in observe-only mode, by the result of the comparison with Claimstream's decision: same, other-devices, other-node, only-kube-scheduler, not-compared.",
            MeterLabel.COMPARISON_RESULT),
    ALARMS(
            "claimstream.alarms",
            MeterType.COUNTER,
            "alarms",
            "always",
            "Alarms that began, by kind: conflict, device-lost and overdrawn are about a device, input-failing about an input that fails repeatedly (one per attempt).",
            MeterLabel.ALARM),
    ACTIVE_ALARMS(
            "claimstream.active.alarms",
            MeterType.GAUGE,
            "devices",
            "always",
            "Devices with an active alarm, by kind: conflict (several claims have the device), device-lost (allocated, and its pool no longer publishes it), overdrawn (consumed beyond what its pool has).",
            MeterLabel.DEVICE_ALARM),
    WORK_ALARMS(
            "claimstream.work.alarms",
            MeterType.COUNTER,
            "items",
            "always",
            "Work items whose search exceeded the reporting limit; at most one per namespace and hour."),
    CELL_LAG(
            "claimstream.cell.lag.records",
            MeterType.GAUGE,
            "records",
            "while a cell is active",
            "Records that the cells (cells.in) and the router (router.in) of this process have not processed, by topic: log end offset minus the first offset that is not processed.",
            MeterLabel.CELL_TOPIC),
    INPUT_SECONDS(
            "claimstream.cell.input.seconds",
            MeterType.GAUGE,
            "seconds",
            "while a cell is active",
            "Seconds that a cell, or the router, has worked on its current input, by cell; 0 between inputs.",
            MeterLabel.CELL),
    INPUT_ATTEMPTS(
            "claimstream.cell.input.attempts",
            MeterType.GAUGE,
            "attempts",
            "while a cell is active",
            "Number of the attempt at the current input, or at the input that fails repeatedly, by cell; 0 between inputs.",
            MeterLabel.CELL),
    CELL_RESTORE(
            "claimstream.cell.restore.records",
            MeterType.GAUGE,
            "records",
            "always",
            "Changelog records that the cells must still restore."),
    CELL_COMMITS("claimstream.cell.commits", MeterType.COUNTER, "commits", "always", "Commits of the stream threads."),
    CELL_TASKS("claimstream.cell.tasks", MeterType.GAUGE, "cells", "always", "Cells that are active in this process."),
    ARCHIVE_AGE(
            "claimstream.archive.age.seconds",
            MeterType.GAUGE,
            "seconds",
            "with `claimstream.archive.folder`",
            "Seconds since the archive had every record of `cells.in`, `router.in` and `ledger.v1`."),
    SHADOW_INPUTS(
            "claimstream.shadow.inputs",
            MeterType.GAUGE,
            "inputs",
            "with `claimstream.shadow.enabled`",
            "Recorded inputs that the shadow has decided again since its start."),
    SHADOW_DIVERGENCES(
            "claimstream.shadow.divergences",
            MeterType.GAUGE,
            "cells",
            "with `claimstream.shadow.enabled`",
            "Cells whose ledger differs from the shadow."),
    SHADOW_CLAIMS(
            "claimstream.shadow.claims",
            MeterType.GAUGE,
            "claims",
            "with `claimstream.shadow.policy`",
            "Claims since the start of the shadow, by how its policy places them beside the record.",
            MeterLabel.SHADOW_PLACEMENT),
    SHADOW_WAIT(
            "claimstream.shadow.wait.seconds",
            MeterType.GAUGE,
            "seconds",
            "with `claimstream.shadow.policy`",
            "Mean time from a claim to its first allocation, over the last 100,000 claims of each side.",
            MeterLabel.SHADOW_SIDE),
    SHADOW_DEVICES(
            "claimstream.shadow.allocated.devices",
            MeterType.GAUGE,
            "devices",
            "with `claimstream.shadow.policy`",
            "Allocated devices in the record, and under the policy of the shadow.",
            MeterLabel.SHADOW_SIDE),
    CELL_FAILURES(
            "claimstream.cell.failures",
            MeterType.COUNTER,
            "failures",
            "always",
            "Stream threads that ended with an exception."),
    SNAPSHOTS("claimstream.cell.snapshots", MeterType.COUNTER, "snapshots", "always", "Snapshots in the ledger."),
    SNAPSHOT_HASH(
            "claimstream.cell.snapshot.hash",
            MeterType.HISTOGRAM,
            "seconds",
            "after the first snapshot",
            "Time that a cell needed for the hash in a snapshot, by cell. The hash covers the rows changed since the last snapshot; after a start it also covers the rows not hashed yet.",
            MeterLabel.CELL),
    INTAKE_LAG(
            "claimstream.intake.lag.records",
            MeterType.GAUGE,
            "records",
            "while the intake has partitions",
            "Lag of the intake on the public topics, by topic.",
            MeterLabel.PUBLIC_TOPIC),
    INTAKE_RECORDS(
            "claimstream.intake.records",
            MeterType.COUNTER,
            "records",
            "always",
            "Records that the intake has consumed, by topic.",
            MeterLabel.PUBLIC_TOPIC),
    INTAKE_RETRIES(
            "claimstream.intake.retries",
            MeterType.COUNTER,
            "retries",
            "always",
            "Restarts of the intake from its last committed offset after a failed write or a missing response."),
    BAD_RECORDS(
            "claimstream.bad.records",
            MeterType.COUNTER,
            "records",
            "always",
            "Records that were set aside, by topic and reason.",
            MeterLabel.PUBLIC_TOPIC,
            MeterLabel.BAD_RECORD_REASON),
    IGNORED_RECORDS(
            "claimstream.ignored.records",
            MeterType.COUNTER,
            "records",
            "always",
            "Records that changed nothing, by topic and reason: stale (older than the current state; some are normal), foreign (about the object of another source), unknown-decision (the outcome of a decision that was never made). Repeated records do not count. With several cells, classes, taint rules and liveness do not count.",
            MeterLabel.PUBLIC_TOPIC,
            MeterLabel.IGNORED_REASON);

    @SuppressWarnings("ImmutableEnumChecker") // immutable: it copies its list
    private final MeterFacts facts;

    AllocatorMeter(String base, MeterType type, String unit, String presence, String meaning, MeterLabel... labels) {
        facts = new MeterFacts(base, type, unit, MeterSource.ALLOCATOR, presence, meaning, List.of(labels));
    }

    @Override
    public MeterFacts facts() {
        return facts;
    }
}

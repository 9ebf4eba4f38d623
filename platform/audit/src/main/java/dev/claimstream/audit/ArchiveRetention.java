package dev.claimstream.audit;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * Deletes the oldest segments and hours of telemetry of an archive, by age and by size.
 *
 * <p>The last segment of a partition and the last hour stay: the archive continues after them. Inputs and ledger of a cell are deleted only up to an intact
 * archived state, so that what remains can be replayed. States before the first remaining input are deleted with it. A
 * {@link LegalHold} keeps everything, also one that is set while this runs.
 */
public final class ArchiveRetention {
    private final SegmentFiles archive;
    private final SnapshotFiles snapshots;
    private final TelemetryFiles telemetry;
    private final LegalHold hold;
    private final RetentionLimits limits;

    /**
     * What an archive keeps.
     *
     * @param age segments and hours of telemetry that ended earlier are deleted; empty for no limit
     * @param bytesMax if segments and telemetry have more bytes together, the oldest ones are deleted; empty for no limit
     */
    public record RetentionLimits(Optional<Duration> age, Optional<Long> bytesMax) {
        /** Keeps everything. */
        public static final RetentionLimits NONE = new RetentionLimits(Optional.empty(), Optional.empty());

        public RetentionLimits {
            if (age.filter(each -> !each.isPositive()).isPresent()
                    || bytesMax.filter(each -> each < 1).isPresent()) {
                throw new IllegalArgumentException(
                        "an archive keeps a positive time and at least one byte, not %s and %s"
                                .formatted(
                                        age.map(Duration::toString).orElse("any"),
                                        bytesMax.map(String::valueOf).orElse("any")));
            }
        }
    }

    /**
     * The result of a run.
     *
     * @param segments number of deleted segments
     * @param hours number of deleted hours of telemetry
     * @param bytes size of their files
     * @param notes why segments beyond the limits were kept, one line each
     */
    public record RetentionSummary(int segments, int hours, long bytes, List<String> notes) {
        public RetentionSummary {
            notes = List.copyOf(notes);
        }
    }

    /** @param store the archive; the caller holds its lock */
    public ArchiveRetention(ArchiveStore store, RetentionLimits limits) {
        archive = new SegmentFiles(store);
        snapshots = new SnapshotFiles(store);
        telemetry = new TelemetryFiles(store);
        hold = new LegalHold(store);
        this.limits = limits;
    }

    /**
     * A segment or an hour of telemetry.
     *
     * @param end time after which it has no record
     * @param deletion deletes it
     */
    private record ArchivedPart(Instant end, long bytes, Runnable deletion) {}

    /** The parts of a folder that may be deleted, the oldest first. */
    private record ExpiredParts(String folder, Deque<ArchivedPart> parts) {
        boolean isTelemetry() {
            return folder.equals(TelemetryFiles.FOLDER);
        }

        Instant end() {
            return parts.getFirst().end();
        }
    }

    /**
     * Deletes what is beyond the limits.
     *
     * @throws AuditException if a file cannot be read or deleted
     */
    public RetentionSummary run(Instant now) {
        if (limits.equals(RetentionLimits.NONE)) {
            return new RetentionSummary(0, 0, 0, List.of());
        }
        Optional<String> reason = hold.reason();
        if (reason.isPresent()) {
            return new RetentionSummary(0, 0, 0, List.of("nothing is deleted: " + held(reason.get())));
        }
        Map<Integer, CellSnapshot> states = new HashMap<>();
        SortedSet<Integer> cells = archive.partitions(LogVerifier.INPUTS);
        cells.forEach(cell -> lastIntactState(cell).ifPresent(state -> states.put(cell, state)));
        List<ExpiredParts> partitions = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        long size = 0;
        for (String topic : List.of(LogVerifier.INPUTS, LogVerifier.ROUTER_INPUTS, LogVerifier.LEDGER)) {
            for (int partition : archive.partitions(topic)) {
                List<SegmentFiles.StoredManifest> all = archive.manifests(topic, partition);
                size += all.stream().mapToLong(each -> each.manifest().bytes()).sum();
                long kept = cells.contains(partition) ? needed(topic, states.get(partition)) : Long.MAX_VALUE;
                partitions.add(deletable(topic, partition, all, kept, now, notes));
            }
        }
        List<TelemetryFiles.StoredHour> hours = telemetry.stored();
        size += hours.stream().mapToLong(each -> each.manifest().bytes()).sum();
        partitions.add(deletable(hours));
        RetentionSummary summary = delete(partitions, size, now, notes);
        cells.forEach(this::deleteEarlierStates);
        if (hold.reason().isEmpty()) {
            partitions.forEach(each -> archive.deleteBeforeFirst(each.folder()));
            cells.forEach(cell -> archive.deleteBeforeFirst(SnapshotFiles.folder(cell)));
        }
        return summary;
    }

    private static String held(String reason) {
        return "legal hold: " + reason;
    }

    private Optional<CellSnapshot> lastIntactState(int cell) {
        return snapshots.of(cell).reversed().stream()
                .filter(each -> each.damage().isEmpty())
                .findFirst();
    }

    /** The first offset that a replay from a state needs. The ledger begins at the event of the state, which proves its rows. */
    private static long needed(String topic, @Nullable CellSnapshot state) {
        return switch (topic) {
            case LogVerifier.INPUTS -> state == null ? 0 : state.input() + 1;
            case LogVerifier.LEDGER -> state == null ? 0 : state.ledgerOffset();
            default -> Long.MAX_VALUE; // no state of the router is archived, so its replay needs all of its inputs
        };
    }

    /** Deletes the states from which no replay can begin any more. */
    private void deleteEarlierStates(int cell) {
        List<SegmentFiles.StoredManifest> inputs = archive.manifests(LogVerifier.INPUTS, cell);
        if (!inputs.isEmpty() && hold.reason().isEmpty()) {
            long begin = inputs.getFirst().manifest().from();
            snapshots.of(cell).stream().filter(each -> each.input() + 1 < begin).forEach(snapshots::delete);
        }
    }

    private ExpiredParts deletable(
            String topic,
            int partition,
            List<SegmentFiles.StoredManifest> all,
            long kept,
            Instant now,
            List<String> notes) {
        var segments = new ArrayDeque<ArchivedPart>();
        for (SegmentFiles.StoredManifest each : all.subList(0, Math.max(0, all.size() - 1))) {
            if (each.manifest().to() > kept) { // not lastOffset: the next segment begins after its transaction markers
                if (isOld(each.manifest().lastTime(), now)) {
                    notes.add(
                            "%s, partition %d: records from offset %d are kept: no later state is archived, so a replay needs them"
                                    .formatted(topic, partition, each.manifest().from()));
                }
                break;
            }
            segments.add(
                    new ArchivedPart(each.manifest().lastTime(), each.manifest().bytes(), () -> delete(each)));
        }
        return new ExpiredParts(SegmentFiles.folder(topic, partition), segments);
    }

    private ExpiredParts deletable(List<TelemetryFiles.StoredHour> hours) {
        var parts = new ArrayDeque<ArchivedPart>();
        hours.subList(0, Math.max(0, hours.size() - 1))
                .forEach(each -> parts.add(new ArchivedPart(
                        each.manifest().end(), each.manifest().bytes(), () -> telemetry.delete(each))));
        return new ExpiredParts(TelemetryFiles.FOLDER, parts);
    }

    private boolean isOld(Instant end, Instant now) {
        return limits.age().filter(age -> end.isBefore(now.minus(age))).isPresent();
    }

    private RetentionSummary delete(List<ExpiredParts> partitions, long size, Instant now, List<String> notes) {
        int segments = 0;
        int hours = 0;
        long bytes = 0;
        while (true) {
            Optional<ExpiredParts> oldest = partitions.stream()
                    .filter(each -> !each.parts().isEmpty())
                    .min(Comparator.comparing(ExpiredParts::end));
            long rest = size - bytes;
            boolean isLarge = limits.bytesMax().filter(max -> rest > max).isPresent();
            if (oldest.isEmpty() || !(isLarge || isOld(oldest.get().end(), now))) {
                if (isLarge) {
                    notes.add("the archive has %d bytes, more than its limit, and nothing else can be deleted"
                            .formatted(rest));
                }
                return new RetentionSummary(segments, hours, bytes, notes);
            }
            Optional<String> reason = hold.reason();
            if (reason.isPresent()) {
                notes.add("nothing more is deleted: " + held(reason.get()));
                return new RetentionSummary(segments, hours, bytes, notes);
            }
            ArchivedPart part = oldest.get().parts().removeFirst();
            part.deletion().run();
            segments += oldest.get().isTelemetry() ? 0 : 1;
            hours += oldest.get().isTelemetry() ? 1 : 0;
            bytes += part.bytes();
        }
    }

    /** Deletes the manifest first: a segment without manifest does not exist. */
    private void delete(SegmentFiles.StoredManifest segment) {
        archive.store().delete(segment.file().name());
        archive.store().delete(segment.records().name());
    }
}

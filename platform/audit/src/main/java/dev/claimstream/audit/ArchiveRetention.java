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
 * Deletes the oldest segments of an archive, by age and by size, from the beginning of each partition.
 *
 * <p>The last segment of a partition stays: the archive continues after it. Inputs and ledger of a cell are deleted only up to an intact
 * archived state, so that what remains can be replayed. States before the first remaining input are deleted with it. A
 * {@link LegalHold} keeps everything, also one that is set while this runs.
 */
public final class ArchiveRetention {
    private final SegmentFiles archive;
    private final SnapshotFiles snapshots;
    private final LegalHold hold;
    private final RetentionLimits limits;

    /**
     * What an archive keeps.
     *
     * @param age segments whose last record is older are deleted; empty for no limit
     * @param bytesMax if the segments have more bytes together, the oldest ones are deleted; empty for no limit
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
     * @param bytes size of their files
     * @param notes why segments beyond the limits were kept, one line each
     */
    public record RetentionSummary(int segments, long bytes, List<String> notes) {
        public RetentionSummary {
            notes = List.copyOf(notes);
        }
    }

    /** @param store the archive; the caller holds its lock */
    public ArchiveRetention(ArchiveStore store, RetentionLimits limits) {
        archive = new SegmentFiles(store);
        snapshots = new SnapshotFiles(store);
        hold = new LegalHold(store);
        this.limits = limits;
    }

    /** The segments of a partition that may be deleted, the oldest first. */
    private record ExpiredSegments(String topic, int partition, Deque<SegmentFiles.StoredManifest> segments) {
        Instant lastTime() {
            return segments.getFirst().manifest().lastTime();
        }
    }

    /**
     * Deletes what is beyond the limits.
     *
     * @throws AuditException if a file cannot be read or deleted
     */
    public RetentionSummary run(Instant now) {
        if (limits.equals(RetentionLimits.NONE)) {
            return new RetentionSummary(0, 0, List.of());
        }
        Optional<String> reason = hold.reason();
        if (reason.isPresent()) {
            return new RetentionSummary(0, 0, List.of("nothing is deleted: " + held(reason.get())));
        }
        Map<Integer, CellSnapshot> states = new HashMap<>();
        SortedSet<Integer> cells = archive.partitions(LogVerifier.INPUTS);
        cells.forEach(cell -> lastIntactState(cell).ifPresent(state -> states.put(cell, state)));
        List<ExpiredSegments> partitions = new ArrayList<>();
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
        RetentionSummary summary = delete(partitions, size, now, notes);
        cells.forEach(this::deleteEarlierStates);
        if (hold.reason().isEmpty()) {
            partitions.forEach(each -> archive.deleteBeforeFirst(SegmentFiles.folder(each.topic(), each.partition())));
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
            default -> Long.MAX_VALUE; // the inputs of the router are not replayed
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

    private ExpiredSegments deletable(
            String topic,
            int partition,
            List<SegmentFiles.StoredManifest> all,
            long kept,
            Instant now,
            List<String> notes) {
        var segments = new ArrayDeque<SegmentFiles.StoredManifest>();
        for (SegmentFiles.StoredManifest each : all.subList(0, Math.max(0, all.size() - 1))) {
            if (each.manifest().to() > kept) { // not lastOffset: the next segment begins after its transaction markers
                if (isOld(each.manifest(), now)) {
                    notes.add(
                            "%s, partition %d: records from offset %d are kept: no later state is archived, so a replay needs them"
                                    .formatted(topic, partition, each.manifest().from()));
                }
                break;
            }
            segments.add(each);
        }
        return new ExpiredSegments(topic, partition, segments);
    }

    private boolean isOld(SegmentManifest segment, Instant now) {
        return limits.age()
                .filter(age -> segment.lastTime().isBefore(now.minus(age)))
                .isPresent();
    }

    private RetentionSummary delete(List<ExpiredSegments> partitions, long size, Instant now, List<String> notes) {
        int segments = 0;
        long bytes = 0;
        while (true) {
            Optional<ExpiredSegments> oldest = partitions.stream()
                    .filter(each -> !each.segments().isEmpty())
                    .min(Comparator.comparing(ExpiredSegments::lastTime));
            long rest = size - bytes;
            boolean isLarge = limits.bytesMax().filter(max -> rest > max).isPresent();
            if (oldest.isEmpty()
                    || !(isLarge || isOld(oldest.get().segments().getFirst().manifest(), now))) {
                if (isLarge) {
                    notes.add("the archive has %d bytes, more than its limit, and nothing else can be deleted"
                            .formatted(rest));
                }
                return new RetentionSummary(segments, bytes, notes);
            }
            Optional<String> reason = hold.reason();
            if (reason.isPresent()) {
                notes.add("nothing more is deleted: " + held(reason.get()));
                return new RetentionSummary(segments, bytes, notes);
            }
            SegmentFiles.StoredManifest segment = oldest.get().segments().removeFirst();
            delete(segment);
            segments++;
            bytes += segment.manifest().bytes();
        }
    }

    /** Deletes the manifest first: a segment without manifest does not exist. */
    private void delete(SegmentFiles.StoredManifest segment) {
        archive.store().delete(segment.file().name());
        archive.store().delete(segment.records().name());
    }
}

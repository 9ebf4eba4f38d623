package dev.claimstream.audit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Copies the committed records of inputs and ledgers to the sealed segments of an archive.
 *
 * <p>The archive itself has the offset from which a run continues, so a killed run leaves neither a gap nor a duplicate. Not safe for
 * several threads; the archive is locked against other programs.
 */
public final class Archiver implements AutoCloseable {
    /** Topics in the order in which they are copied. The ends of the ledgers are read first, so that every event has its input. */
    private static final List<String> TOPICS =
            List.of(LogVerifier.INPUTS, LogVerifier.ROUTER_INPUTS, LogVerifier.LEDGER);

    private final AuditLog source;
    private final SegmentFiles archive;
    private final ArchiveStore.WriteLock lock;
    private final SegmentLimits limits;
    private final String release;
    private final Consumer<String> warnings;

    /** The size at which a segment is sealed: the number of records, or the bytes of their values. */
    public record SegmentLimits(long recordsMax, long bytesMax) {
        public static final SegmentLimits DEFAULT = new SegmentLimits(1_000_000, 64L << 20);

        public SegmentLimits {
            if (recordsMax < 1 || bytesMax < 1) {
                throw new IllegalArgumentException("a segment has at least one record and one byte, not %d and %d"
                        .formatted(recordsMax, bytesMax));
            }
        }
    }

    /** What a run has written. */
    public record ArchiveSummary(int segments, long records, long bytes) {}

    /**
     * Opens an archive for writing, and creates its folder if it does not exist. The store stays open when the archiver is closed.
     *
     * @param release version of this program
     * @param warnings receives a line about records that cannot be archived any more
     * @throws AuditException if the store cannot be written, or another program writes to it
     */
    public Archiver(
            AuditLog source, ArchiveStore store, SegmentLimits limits, String release, Consumer<String> warnings) {
        this.source = source;
        this.archive = new SegmentFiles(store);
        this.limits = limits;
        this.release = release;
        this.warnings = warnings;
        lock = store.lock();
    }

    private record Partition(String topic, int number) {}

    /**
     * Archives everything up to the present ends of the topics.
     *
     * @throws AuditException if the log cannot be read, the archive cannot be written, or they are not of one log
     */
    public ArchiveSummary run() {
        Map<Partition, Long> ends = new LinkedHashMap<>();
        for (String topic : TOPICS.reversed()) {
            source.partitions(topic)
                    .forEach(number -> ends.put(new Partition(topic, number), source.end(topic, number)));
        }
        List<SegmentManifest> written = new ArrayList<>();
        List.copyOf(ends.keySet())
                .reversed()
                .forEach(each -> archive(each.topic(), each.number(), ends.getOrDefault(each, 0L), written));
        return new ArchiveSummary(
                written.size(),
                written.stream().mapToLong(SegmentManifest::count).sum(),
                written.stream().mapToLong(SegmentManifest::bytes).sum());
    }

    private void archive(String topic, int partition, long end, List<SegmentManifest> written) {
        Optional<SegmentManifest> last = archive.last(topic, partition).map(SegmentFiles.StoredManifest::manifest);
        long begin = source.begin(topic, partition);
        long from = last.map(SegmentManifest::to).orElse(begin);
        if (end < from) {
            throw new AuditException(
                    "%s, partition %d, ends at offset %d, and %s has it up to offset %d: the topic was truncated or created again. Verify both, and archive the new topic to another folder."
                            .formatted(topic, partition, end, archive.store().location(), from));
        }
        if (from < begin) {
            warnings.accept(
                    "%s, partition %d: offsets %d to %d were deleted before they were archived. The archive has a gap; archive more often, or raise the retention of the topic."
                            .formatted(topic, partition, from, begin - 1));
            from = begin;
        }
        copy(topic, partition, from, end, written);
    }

    private void copy(String topic, int partition, long from, long end, List<SegmentManifest> written) {
        try (var segments = new SegmentSequence(topic, partition, from, written)) {
            source.forEach(topic, partition, from, end, record -> {
                segments.add(record);
                return true;
            });
            segments.seal(end);
        }
    }

    /** The segments of one partition, one after the other. */
    private final class SegmentSequence implements AutoCloseable {
        private final String topic;
        private final int partition;
        private final List<SegmentManifest> written;
        private Optional<SegmentWriter> open = Optional.empty();
        private long from;

        SegmentSequence(String topic, int partition, long from, List<SegmentManifest> written) {
            this.topic = topic;
            this.partition = partition;
            this.from = from;
            this.written = written;
        }

        void add(LogRecord record) {
            SegmentWriter writer = open.orElseGet(() -> new SegmentWriter(source, archive, topic, partition, from));
            open = Optional.of(writer);
            writer.add(record);
            if (writer.count() >= limits.recordsMax() || writer.bytes() >= limits.bytesMax()) {
                seal(record.offset() + 1);
            }
        }

        void seal(long to) {
            open.ifPresent(writer -> {
                written.add(writer.seal(to, release));
                writer.close();
                from = to;
            });
            open = Optional.empty();
        }

        @Override
        public void close() {
            open.ifPresent(SegmentWriter::close);
        }
    }

    @Override
    public void close() {
        lock.close();
    }
}

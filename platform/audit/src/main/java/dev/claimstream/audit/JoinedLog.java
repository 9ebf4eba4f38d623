package dev.claimstream.audit;

import dev.claimstream.audit.Finding.FindingKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.apache.avro.Schema;

/** An archive, continued by the topics from which it was made. Records that both have come from the archive. */
public final class JoinedLog implements AuditLog {
    /** Number of archived records that are compared at once. */
    private static final int CHUNK = 20_000;

    private static final byte[] NONE = {};

    private final ArchiveLog archive;
    private final AuditLog topics;

    public JoinedLog(ArchiveLog archive, AuditLog topics) {
        this.archive = archive;
        this.topics = topics;
    }

    /**
     * Compares the records that both have. Reports records of the archive that the topics have lost or that differ.
     *
     * <p>Records whose names were erased are not compared. Damaged and missing segments are not compared;
     * {@link ArchiveLog#problems} names them. A topic that ends before the last archived record is reported even if the
     * segment of this record is damaged.
     *
     * @return at most {@link ChainVerifier#FINDINGS_MAX} findings per partition
     * @throws AuditException if one of them cannot be read
     */
    public List<Finding> differences() {
        List<Finding> findings = new ArrayList<>();
        for (String topic : List.of(LogVerifier.INPUTS, LogVerifier.ROUTER_INPUTS, LogVerifier.LEDGER)) {
            archive.partitions(topic)
                    .forEach(partition -> findings.addAll(new PartitionComparison(topic, partition).run()));
        }
        return findings;
    }

    /** Compares the records of one partition. It is used once. */
    private final class PartitionComparison {
        private final String topic;
        private final int partition;
        private final long begin;
        private final long end;
        private final List<Finding> findings = new ArrayList<>();

        PartitionComparison(String topic, int partition) {
            this.topic = topic;
            this.partition = partition;
            boolean isThere = topics.partitions(topic).contains(partition);
            begin = isThere ? topics.begin(topic, partition) : 0;
            end = isThere ? topics.end(topic, partition) : 0;
        }

        List<Finding> run() {
            archive.lastSegment(topic, partition)
                    .filter(each -> each.lastOffset() >= end)
                    .ifPresent(each -> findings.add(truncation(each)));
            for (SegmentManifest segment : archive.intactSegments(topic, partition)) {
                compare(Math.max(segment.from(), begin), Math.min(segment.to(), end));
            }
            return findings;
        }

        /** @param last the last segment of the archive, whose last record the topic does not have */
        private Finding truncation(SegmentManifest last) {
            return new Finding(
                    FindingKind.TRUNCATED,
                    topic,
                    partition,
                    end,
                    last.lastTime(),
                    "%s ends at this offset, and the archive has records up to offset %d"
                            .formatted(topics.location(), last.lastOffset()));
        }

        private void compare(long from, long to) {
            for (long next = from; next < to && !isFull(); ) {
                SortedMap<Long, LogRecord> chunk = chunk(next, to);
                long chunkEnd = chunk.size() < CHUNK ? to : chunk.lastKey() + 1;
                removeEqual(chunk, next, chunkEnd);
                if (!isFull() && !chunk.isEmpty()) {
                    findings.add(missing(chunk));
                }
                next = chunkEnd;
            }
        }

        private boolean isFull() {
            return findings.size() >= ChainVerifier.FINDINGS_MAX;
        }

        private SortedMap<Long, LogRecord> chunk(long from, long to) {
            SortedMap<Long, LogRecord> chunk = new TreeMap<>();
            archive.forEach(topic, partition, from, to, record -> {
                chunk.put(record.offset(), record);
                return chunk.size() < CHUNK;
            });
            return chunk;
        }

        /** Removes the records from a chunk that the topic has too, and reports those that differ. */
        private void removeEqual(SortedMap<Long, LogRecord> chunk, long from, long to) {
            topics.forEach(topic, partition, from, to, record -> {
                LogRecord archived = chunk.remove(record.offset());
                if (archived == null) {
                    findings.add(Finding.at(record, FindingKind.INSERTED, "the archive does not have this record"));
                } else if (!archived.isErased() && !isSame(record, archived)) {
                    findings.add(Finding.at(record, FindingKind.CHANGED, "the record differs from the archived one"));
                }
                return !isFull();
            });
        }

        private Finding missing(SortedMap<Long, LogRecord> chunk) {
            return Finding.at(
                    chunk.sequencedValues().getFirst(),
                    FindingKind.MISSING,
                    "%s lacks this archived record%s"
                            .formatted(
                                    topics.location(),
                                    chunk.size() == 1
                                            ? ""
                                            : " and %d more up to offset %d"
                                                    .formatted(chunk.size() - 1, chunk.lastKey())));
        }
    }

    private static boolean isSame(LogRecord record, LogRecord other) {
        return record.timestamp().equals(other.timestamp())
                && Arrays.equals(record.key().orElse(NONE), other.key().orElse(NONE))
                && record.value().isPresent() == other.value().isPresent()
                && Arrays.equals(record.value().orElse(NONE), other.value().orElse(NONE));
    }

    @Override
    public SortedSet<Integer> partitions(String topic) {
        var all = new TreeSet<>(archive.partitions(topic));
        all.addAll(topics.partitions(topic));
        return all;
    }

    @Override
    public long begin(String topic, int partition) {
        return isArchived(topic, partition) ? archive.begin(topic, partition) : topics.begin(topic, partition);
    }

    private boolean isArchived(String topic, int partition) {
        return archive.end(topic, partition) > archive.begin(topic, partition);
    }

    @Override
    public long end(String topic, int partition) {
        long archived = archive.end(topic, partition);
        return topics.partitions(topic).contains(partition)
                ? Math.max(archived, topics.end(topic, partition))
                : archived;
    }

    /** The gaps of the archive, and what topics have deleted before it was archived. */
    @Override
    public List<OffsetGap> gaps(String topic, int partition, long from, long to) {
        long archived = archive.end(topic, partition);
        List<OffsetGap> gaps = new ArrayList<>(archive.gaps(topic, partition, from, Math.min(to, archived)));
        if (to > archived && topics.partitions(topic).contains(partition)) {
            gaps.addAll(topics.gaps(topic, partition, Math.max(from, archived), to));
        }
        return gaps;
    }

    @Override
    public long offsetAt(String topic, int partition, Instant time) {
        long archived = archive.offsetAt(topic, partition, time);
        return archived < archive.end(topic, partition) ? archived : topics.offsetAt(topic, partition, time);
    }

    @Override
    public void forEach(String topic, int partition, long from, long to, Predicate<LogRecord> action) {
        var isStopped = new AtomicBoolean();
        long archived = archive.end(topic, partition);
        archive.forEach(topic, partition, from, Math.min(to, archived), record -> {
            boolean continues = action.test(record);
            isStopped.setPlain(!continues);
            return continues;
        });
        if (!isStopped.getPlain() && to > archived && topics.partitions(topic).contains(partition)) {
            topics.forEach(topic, partition, Math.max(from, archived), to, action);
        }
    }

    @Override
    public Optional<Schema> schema(int id) {
        return archive.schema(id).or(() -> topics.schema(id));
    }

    @Override
    public Optional<CellSnapshot> snapshot(int cell, Instant time) {
        return archive.snapshot(cell, time);
    }

    @Override
    public String location() {
        return "%s and %s".formatted(archive.location(), topics.location());
    }

    /** Closes both. */
    @Override
    public void close() {
        archive.close();
        topics.close();
    }
}

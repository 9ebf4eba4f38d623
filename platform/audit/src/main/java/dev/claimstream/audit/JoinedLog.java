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
     * @throws AuditException if one of them cannot be read
     */
    public List<Finding> differences() {
        List<Finding> findings = new ArrayList<>();
        for (String topic : List.of(LogVerifier.INPUTS, LogVerifier.ROUTER_INPUTS, LogVerifier.LEDGER)) {
            archive.partitions(topic).forEach(partition -> compare(topic, partition, findings));
        }
        return findings;
    }

    private void compare(String topic, int partition, List<Finding> findings) {
        boolean isThere = topics.partitions(topic).contains(partition);
        long end = isThere ? topics.end(topic, partition) : 0;
        long begin = isThere ? topics.begin(topic, partition) : 0;
        long archived = archive.end(topic, partition);
        long from = Math.max(archive.begin(topic, partition), begin);
        while (from < archived && findings.size() < ChainVerifier.FINDINGS_MAX) {
            SortedMap<Long, LogRecord> chunk = chunk(topic, partition, from, archived);
            long to = chunk.size() < CHUNK ? archived : chunk.lastKey() + 1;
            compare(chunk, topic, partition, from, Math.min(to, end), findings);
            chunk.values().stream()
                    .findFirst()
                    .ifPresent(record -> findings.add(Finding.at(
                            record,
                            record.offset() >= end ? FindingKind.TRUNCATED : FindingKind.MISSING,
                            "%s lacks this archived record%s"
                                    .formatted(
                                            topics.location(),
                                            chunk.size() == 1
                                                    ? ""
                                                    : " and %d more up to offset %d"
                                                            .formatted(chunk.size() - 1, chunk.lastKey())))));
            from = to;
        }
    }

    private SortedMap<Long, LogRecord> chunk(String topic, int partition, long from, long to) {
        SortedMap<Long, LogRecord> chunk = new TreeMap<>();
        archive.forEach(topic, partition, from, to, record -> {
            chunk.put(record.offset(), record);
            return chunk.size() < CHUNK;
        });
        return chunk;
    }

    /** Removes the records from a chunk that the topic has too. */
    private void compare(
            SortedMap<Long, LogRecord> chunk, String topic, int partition, long from, long to, List<Finding> findings) {
        if (from >= to) {
            return;
        }
        topics.forEach(topic, partition, from, to, record -> {
            LogRecord archived = chunk.remove(record.offset());
            if (archived == null) {
                findings.add(Finding.at(record, FindingKind.INSERTED, "the archive does not have this record"));
            } else if (!isSame(record, archived)) {
                findings.add(Finding.at(record, FindingKind.CHANGED, "the record differs from the archived one"));
            }
            return findings.size() < ChainVerifier.FINDINGS_MAX;
        });
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

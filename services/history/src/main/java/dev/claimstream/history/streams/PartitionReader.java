package dev.claimstream.history.streams;

import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.OffsetGap;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.RecordSerde;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.apache.avro.specific.SpecificRecord;

/**
 * The records of a partition up to the cut. A thread of the executor reads and decodes one batch ahead of the caller.
 *
 * <p>The executor has one thread: an {@link AuditLog} is not safe for several. After the first {@link #peek} only this thread uses the
 * log. A failure is kept until all records before it are taken, so that none is applied in part.
 */
final class PartitionReader<T extends SpecificRecord, V> {
    /** Records that are read at once. */
    private static final int BATCH = 10_000;

    private final AuditLog log;
    private final RecordRange range;
    private final RecordFormat<T, V> format;
    private final Executor executor;
    private final Deque<PartitionRecord<V>> batch = new ArrayDeque<>();
    private Optional<CompletableFuture<Batch<V>>> ahead = Optional.empty();
    private Optional<RuntimeException> failure = Optional.empty();
    private long fetched;
    private long next;

    /**
     * Offsets from a position up to a cut.
     *
     * @param gaps offsets whose records are lost
     */
    record RecordRange(String topic, int partition, long from, long end, List<OffsetGap> gaps) {
        RecordRange {
            gaps = List.copyOf(gaps);
        }

        /**
         * The range that begins at a position.
         *
         * @throws AuditException if the partition ends before the position
         */
        static RecordRange of(AuditLog log, String topic, int partition, long position, long end) {
            if (end > 0 && position > end) {
                throw new AuditException(
                        "%s, partition %d, ends at offset %d, and the history has it up to offset %d: the topic was truncated or created again. Delete the file of the history; it is built again from the log."
                                .formatted(topic, partition, end, position));
            }
            return new RecordRange(
                    topic,
                    partition,
                    position,
                    end,
                    position < end ? log.gaps(topic, partition, position, end) : List.of());
        }
    }

    /** How records are decoded, and what is retained of them. */
    record RecordFormat<T extends SpecificRecord, V>(RecordSerde<T> serde, Function<T, V> content) {}

    /** The retained content of a decoded record, and the offset of the record. */
    record PartitionRecord<V>(long offset, V value) {}

    /** Records, the offset after them, and why the next one cannot be read. */
    private record Batch<V>(List<PartitionRecord<V>> entries, long fetched, Optional<RuntimeException> failure) {}

    PartitionReader(AuditLog log, RecordRange range, RecordFormat<T, V> format, Executor executor) {
        this.log = log;
        this.range = range;
        this.format = format;
        this.executor = executor;
        fetched = range.from();
        next = range.from();
    }

    /** Offset of the next record that is taken, or the offset after the last one. */
    long next() {
        return next;
    }

    /** The next record; empty at the cut, and before a record that cannot be read. */
    Optional<PartitionRecord<V>> peek() {
        while (batch.isEmpty() && fetched < range.end() && failure.isEmpty()) {
            Batch<V> read = ahead.orElseGet(this::fetch).join();
            batch.addAll(read.entries());
            fetched = read.fetched();
            failure = read.failure();
            ahead = fetched < range.end() && failure.isEmpty() ? Optional.of(fetch()) : Optional.empty();
        }
        return Optional.ofNullable(batch.peek());
    }

    private CompletableFuture<Batch<V>> fetch() {
        long from = fetched;
        return CompletableFuture.supplyAsync(() -> read(from), executor);
    }

    private Batch<V> read(long from) {
        List<PartitionRecord<V>> entries = new ArrayList<>();
        try {
            log.forEach(range.topic(), range.partition(), from, range.end(), record -> add(record, entries));
        } catch (RuntimeException e) { // reported once the records before it are taken
            return new Batch<>(entries, after(entries, from), Optional.of(e));
        }
        Optional<RuntimeException> deleted = deletedSince(
                from, entries.isEmpty() ? range.end() : entries.getFirst().offset());
        return deleted.isPresent()
                ? new Batch<>(List.of(), from, deleted)
                : new Batch<>(entries, entries.size() < BATCH ? range.end() : after(entries, from), Optional.empty());
    }

    /** The failure of a batch before which records were deleted after the range was made. The next range has this gap. */
    private Optional<RuntimeException> deletedSince(long from, long first) {
        if (first <= from) {
            return Optional.empty();
        }
        return log.gaps(range.topic(), range.partition(), from, first).stream()
                .filter(each -> !range.gaps().contains(each))
                .findFirst()
                .map(gap -> new AuditException("%s, partition %d: offsets %d to %d were deleted while they were read"
                        .formatted(range.topic(), range.partition(), gap.from(), gap.to() - 1)));
    }

    private static long after(List<? extends PartitionRecord<?>> entries, long otherwise) {
        return entries.isEmpty() ? otherwise : entries.getLast().offset() + 1;
    }

    private boolean add(LogRecord record, List<PartitionRecord<V>> entries) {
        switch (format.serde().read(record.topic(), record.value().orElse(null))) {
            case DecodeResult.Value<T>(T value) ->
                entries.add(
                        new PartitionRecord<>(record.offset(), format.content().apply(value)));
            case DecodeResult.Failure<T> failure -> throw unreadable(record, failure.message());
            case DecodeResult.Tombstone<T> _ -> throw unreadable(record, "it has no value");
        }
        return entries.size() < BATCH;
    }

    private static AuditException unreadable(LogRecord record, String reason) {
        return new AuditException(
                "%s cannot be read: %s. Use the release that wrote the record, or a later one; claimstream audit verify reports changed records."
                        .formatted(record.position(), reason));
    }

    /** Throws the failure that ends the records. */
    void check() {
        if (peek().isEmpty() && failure.isPresent()) {
            throw failure.get();
        }
    }

    PartitionRecord<V> take() {
        PartitionRecord<V> taken = batch.remove();
        next = taken.offset() + 1;
        return taken;
    }

    /** The offset from which a later reader continues; empty for a partition without a cut. */
    Optional<Long> position() {
        if (range.end() == 0) {
            return Optional.empty();
        }
        boolean isAtEnd = failure.isEmpty() && batch.isEmpty() && fetched >= range.end();
        return Optional.of(isAtEnd ? Math.max(next, range.end()) : next);
    }
}

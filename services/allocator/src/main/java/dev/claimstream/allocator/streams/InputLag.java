package dev.claimstream.allocator.streams;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Measures the lag of a consumer group: log end offset minus the first offset that is not processed.
 *
 * <p>It asks the brokers on the caller's thread, so the result does not depend on the processing thread. Fetched records in memory count as
 * not processed. A measurement is cached for {@link #FRESH_FOR}; after an error the next one is made after {@link #RETRY_AFTER}. Safe for
 * many threads.
 */
final class InputLag {
    private static final Duration FRESH_FOR = Duration.ofMillis(500);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    private final GroupOffsets offsets;
    private final String group;
    private final Supplier<? extends Collection<TopicPartition>> partitions;
    private final Function<TopicPartition, OptionalLong> nextOffset;
    private final LongSupplier nanos;
    private Optional<SortedMap<String, Long>> last = Optional.empty();
    private long validUntilNanos;
    private boolean hasMeasured;

    /**
     * @param partitions partitions that this process consumes
     * @param next first offset that is not processed, if this process knows it
     */
    InputLag(
            GroupOffsets offsets,
            String group,
            Supplier<? extends Collection<TopicPartition>> partitions,
            Function<TopicPartition, OptionalLong> next,
            LongSupplier nanos) {
        this.offsets = offsets;
        this.group = group;
        this.partitions = partitions;
        this.nextOffset = next;
        this.nanos = nanos;
    }

    /** Lag in records by topic; empty if the brokers do not respond. */
    synchronized Optional<SortedMap<String, Long>> byTopic() {
        long now = nanos.getAsLong();
        if (!hasMeasured || now - validUntilNanos > 0) {
            hasMeasured = true;
            last = measure();
            validUntilNanos = nanos.getAsLong() + (last.isPresent() ? FRESH_FOR : RETRY_AFTER).toNanos();
        }
        return last;
    }

    /** The same as rows of a gauge with the label {@code topic}; no rows if the brokers do not respond. */
    Map<List<String>, Long> rows() {
        return byTopic().stream()
                .flatMap(lags -> lags.entrySet().stream())
                .collect(Collectors.toMap(each -> List.of(each.getKey()), Map.Entry::getValue));
    }

    /** Lag in records over all topics; empty if the brokers do not respond. */
    OptionalLong total() {
        return byTopic().stream()
                .mapToLong(lags ->
                        lags.values().stream().mapToLong(Long::longValue).sum())
                .findAny();
    }

    private Optional<SortedMap<String, Long>> measure() {
        Collection<TopicPartition> read = partitions.get();
        if (read.isEmpty()) {
            return Optional.of(Collections.emptySortedMap());
        }
        try {
            Map<TopicPartition, OffsetAndMetadata> committed = offsets.committed(group);
            SortedMap<String, Long> lags = new TreeMap<>();
            Map<TopicPartition, Long> ends = offsets.ends(read);
            for (TopicPartition each : read) {
                long reached = Math.max(
                        committedOffset(committed, each), nextOffset.apply(each).orElse(0));
                lags.merge(each.topic(), Math.max(0, ends.getOrDefault(each, 0L) - reached), Long::sum);
            }
            return Optional.of(lags);
        } catch (KafkaException e) {
            return Optional.empty();
        }
    }

    private static long committedOffset(Map<TopicPartition, OffsetAndMetadata> committed, TopicPartition partition) {
        return Optional.ofNullable(committed.get(partition))
                .map(OffsetAndMetadata::offset)
                .orElse(0L);
    }
}

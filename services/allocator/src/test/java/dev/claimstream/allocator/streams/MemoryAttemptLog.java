package dev.claimstream.allocator.streams;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;

/** Keeps attempts in memory, and counts how often one was recorded. */
final class MemoryAttemptLog implements AttemptLog {
    private final Map<TopicPartition, InputAttempt> attempts = new ConcurrentHashMap<>();
    private int records;

    @Override
    public Optional<InputAttempt> last(TopicPartition log) {
        return Optional.ofNullable(attempts.get(log));
    }

    @Override
    public synchronized void record(TopicPartition log, InputAttempt attempt) {
        records++;
        attempts.put(log, attempt);
    }

    /** How often an attempt was recorded. */
    synchronized int records() {
        return records;
    }
}

package dev.claimstream.allocator.streams;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;

/** Keeps attempts in memory, counts how often one was recorded, and does not respond while it is silent. */
final class MemoryAttemptLog implements AttemptLog {
    private final Map<TopicPartition, InputAttempt> attempts = new ConcurrentHashMap<>();
    private int records;
    private boolean isSilent;

    /** From now on it does not respond, or responds again. */
    synchronized void silence(boolean isSilentNow) {
        isSilent = isSilentNow;
    }

    @Override
    public synchronized LastAttempt last(TopicPartition log) {
        if (isSilent) {
            return new LastAttempt.UnknownAttempt();
        }
        return attempts.containsKey(log)
                ? new LastAttempt.StoredAttempt(attempts.get(log))
                : new LastAttempt.NoAttempt();
    }

    /** The recorded attempt, even while it is silent. */
    Optional<InputAttempt> stored(TopicPartition log) {
        return Optional.ofNullable(attempts.get(log));
    }

    @Override
    public synchronized boolean record(TopicPartition log, InputAttempt attempt) {
        if (isSilent) {
            return false;
        }
        records++;
        attempts.put(log, attempt);
        return true;
    }

    @Override
    public synchronized void remove(TopicPartition log) {
        if (!isSilent) {
            attempts.remove(log);
        }
    }

    /** How often an attempt was recorded. */
    synchronized int records() {
        return records;
    }
}

package dev.claimstream.allocator.streams;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;

/** Keeps attempts in memory, counts their records, and does not respond while it is silent. */
final class MemoryAttemptLog implements AttemptLog {
    private final Map<TopicPartition, InputAttempt> attempts = new ConcurrentHashMap<>();
    private int records;
    private boolean isSilent;

    /** Switches silence on or off. */
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

    /** Returns the recorded attempt, even while the log is silent. */
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

    /** Returns the number of recorded attempts. */
    synchronized int records() {
        return records;
    }
}

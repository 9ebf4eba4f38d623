package dev.claimstream.allocator.streams;

import org.apache.kafka.common.TopicPartition;

/** Keeps the last recorded attempt per input log, outside of the transactions of cells. Safe for many threads. */
interface AttemptLog {
    /** The last recorded attempt at an input of this log. */
    LastAttempt last(TopicPartition log);

    /**
     * Records an attempt, durably when it returns true. Logs a warning if the store does not respond in time.
     *
     * @return whether it is recorded
     */
    boolean record(TopicPartition log, InputAttempt attempt);

    /** Removes the recorded attempt. Logs a warning if the store does not respond in time. */
    void remove(TopicPartition log);
}

package dev.claimstream.allocator.streams;

import org.apache.kafka.common.TopicPartition;

/** Stores the last attempt per input log, outside of the transactions of the cells. Safe for many threads. */
interface AttemptLog {
    /** Reads the last recorded attempt at an input of this log. */
    LastAttempt last(TopicPartition log);

    /**
     * Records an attempt durably. Logs a warning if the store does not respond in time.
     *
     * @return whether the attempt is recorded
     */
    boolean record(TopicPartition log, InputAttempt attempt);

    /** Removes the recorded attempt. Logs a warning if the store does not respond in time. */
    void remove(TopicPartition log);
}

package dev.claimstream.allocator.streams;

import java.util.Optional;
import org.apache.kafka.common.TopicPartition;

/** Keeps the last recorded attempt per input log, outside of the transactions of cells. Safe for many threads. */
interface AttemptLog {
    /** The last recorded attempt; empty if there is none or the store does not respond. */
    Optional<InputAttempt> last(TopicPartition log);

    /** Records an attempt, durably when it returns. Logs a warning if the store does not respond in time. */
    void record(TopicPartition log, InputAttempt attempt);
}

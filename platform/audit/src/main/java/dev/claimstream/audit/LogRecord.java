package dev.claimstream.audit;

import java.time.Instant;
import java.util.Optional;

/**
 * A record of a topic, as bytes.
 *
 * @param key bytes of the key; empty if the record has none
 * @param value bytes of the value; empty for a tombstone
 * @param isErased whether names were erased in the value: it is not what the topic had
 */
public record LogRecord(
        String topic,
        int partition,
        long offset,
        Instant timestamp,
        Optional<byte[]> key,
        Optional<byte[]> value,
        boolean isErased) {
    public LogRecord(
            String topic, int partition, long offset, Instant timestamp, Optional<byte[]> key, Optional<byte[]> value) {
        this(topic, partition, offset, timestamp, key, value, false);
    }

    /** The record in words: topic, partition and offset. */
    public String position() {
        return "%s, partition %d, offset %d".formatted(topic, partition, offset);
    }
}

package dev.claimstream.kafka;

import dev.claimstream.schemas.BadRecord;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Creates the values of {@code bad-records.v1}. Their key is the original topic. */
public final class BadRecords {
    /** Maximum bytes that are stored of a key and of a value. */
    public static final int KEPT_BYTES_MAX = 64 << 10;

    private static final int MESSAGE_CHARS_MAX = 1_000;

    private BadRecords() {}

    /** The position of a record, written as {@code topic/partition@offset}. */
    public record RecordPosition(String topic, int partition, long offset) {
        @Override
        public String toString() {
            return "%s/%d@%d".formatted(topic, partition, offset);
        }
    }

    /** The value for a record of a consumer. */
    public static BadRecord of(ConsumerRecord<byte[], byte[]> record, DecodeResult.Failure<?> failure) {
        return of(
                new RecordPosition(record.topic(), record.partition(), record.offset()),
                record.key(),
                record.value(),
                Instant.ofEpochMilli(record.timestamp()),
                failure);
    }

    /** The value for a record with these bytes, truncated to {@link #KEPT_BYTES_MAX}. */
    public static BadRecord of(
            RecordPosition position,
            byte @Nullable [] key,
            byte @Nullable [] value,
            Instant at,
            DecodeResult.Failure<?> failure) {
        var builder = BadRecord.newBuilder()
                .setTopic(position.topic())
                .setPartition(position.partition())
                .setOffset(position.offset())
                .setReason(failure.reason().code())
                .setMessage(cut(failure.message()))
                .setAt(at)
                .setKeySize(size(key))
                .setValueSize(size(value));
        cut(key).ifPresent(builder::setKey);
        cut(value).ifPresent(builder::setValue);
        return builder.build();
    }

    private static int size(byte @Nullable [] bytes) {
        return bytes == null ? 0 : bytes.length;
    }

    private static Optional<ByteBuffer> cut(byte @Nullable [] bytes) {
        return Optional.ofNullable(bytes)
                .map(all -> ByteBuffer.wrap(Arrays.copyOf(all, Math.min(all.length, KEPT_BYTES_MAX))));
    }

    private static String cut(String message) {
        return message.length() <= MESSAGE_CHARS_MAX ? message : message.substring(0, MESSAGE_CHARS_MAX);
    }
}

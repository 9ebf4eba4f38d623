package dev.claimstream.kafka;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A record that was not written, and why.
 *
 * @param bytes size of key and value
 */
record SendFailure(String topic, long bytes, Exception cause) {
    /** A smaller request fits into any broker. */
    private static final long LARGE_BYTES = 64 << 10;

    /** Requests of Claimstream are smaller: one record of {@link AvroSerde#BYTES_MAX}, or a batch below it. */
    private static final int REQUEST_BYTES = 2 << 20;

    static SendFailure of(ProducerRecord<byte[], byte[]> record, Exception cause) {
        return new SendFailure(record.topic(), size(record.key()) + size(record.value()), cause);
    }

    private static long size(byte @Nullable [] part) {
        return part == null ? 0 : part.length;
    }

    /** Returns topic, size, cause and remedy. */
    String text() {
        String what =
                "a record of %d bytes for topic %s was not written: %s".formatted(bytes, topic, cause.getMessage());
        return switch (cause) {
            case RecordTooLargeException _, RecordBatchTooLargeException _ ->
                what
                        + ": raise max.message.bytes of the topic, and replica.fetch.max.bytes of the brokers, or split the object";
            case TimeoutException _
            when bytes > LARGE_BYTES ->
                what
                        + ": if smaller records are written, the brokers close the connection because socket.request.max.bytes is smaller than the request: set it to %d or more"
                                .formatted(REQUEST_BYTES);
            default -> what;
        };
    }
}

package dev.claimstream.allocator.streams;

import dev.claimstream.schemas.BadRecord;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Records that are set aside, with their bytes, as far as those fit. */
final class BadRecords {
    private static final int BYTES_KEPT = 256 << 10;

    private BadRecords() {}

    static BadRecord of(ConsumerRecord<byte[], byte[]> record, String reason, String message, Instant at) {
        return new BadRecord(
                record.topic(),
                record.partition(),
                record.offset(),
                reason,
                message,
                at,
                kept(record.key()),
                Math.max(0, record.serializedKeySize()),
                kept(record.value()),
                Math.max(0, record.serializedValueSize()));
    }

    private static @Nullable ByteBuffer kept(byte @Nullable [] bytes) {
        return bytes == null ? null : ByteBuffer.wrap(Arrays.copyOf(bytes, Math.min(bytes.length, BYTES_KEPT)));
    }
}

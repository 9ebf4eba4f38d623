package dev.claimstream.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.BadRecord;
import java.nio.ByteBuffer;
import java.time.Instant;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** Bad records: position, reason, original bytes and size limit. */
class BadRecordsTest {
    private static final DecodeResult.Failure<?> BAD =
            new DecodeResult.Failure<>(BadRecordReason.TRUNCATED, "the value does not end");

    @Test
    void recordsPositionReasonAndOriginalBytes() {
        BadRecord bad = BadRecords.of(new ConsumerRecord<>("claims.v1", 3, 77, new byte[] {1}, new byte[] {2, 3}), BAD);
        assertThat(bad.getTopic()).isEqualTo("claims.v1");
        assertThat(bad.getPartition()).isEqualTo(3);
        assertThat(bad.getOffset()).isEqualTo(77);
        assertThat(bad.getReason()).isEqualTo("Truncated");
        assertThat(bad.getMessage()).isEqualTo("the value does not end");
        assertThat(bad.getKey()).contains(ByteBuffer.wrap(new byte[] {1}));
        assertThat(bad.getValue()).contains(ByteBuffer.wrap(new byte[] {2, 3}));
    }

    @Test
    void truncatesLongValueAndKeepsItsSize() {
        byte[] huge = new byte[BadRecords.KEPT_BYTES_MAX + 1];
        BadRecord bad = BadRecords.of(
                new BadRecords.RecordPosition("t", 0, 1),
                null,
                huge,
                Instant.EPOCH,
                new DecodeResult.Failure<>(BadRecordReason.TOO_LARGE, "x".repeat(5_000)));
        assertThat(bad.getKey()).isEmpty();
        assertThat(bad.getKeySize()).isZero();
        assertThat(bad.getValueSize()).isEqualTo(huge.length);
        assertThat(bad.getValue())
                .hasValueSatisfying(kept -> assertThat(kept.remaining()).isEqualTo(BadRecords.KEPT_BYTES_MAX));
        assertThat(bad.getMessage()).hasSize(1_000);
    }

    @Test
    void badRecordCanBeWrittenAndRead() {
        var serde = AvroSerde.of(BadRecord.class, SchemaRegistry.inMemory());
        BadRecord bad = BadRecords.of(
                new BadRecords.RecordPosition("t", 0, 1), new byte[0], new byte[] {9}, Instant.ofEpochMilli(5), BAD);
        assertThat(serde.read(Topics.BAD_RECORDS, serde.write(Topics.BAD_RECORDS, bad)))
                .isEqualTo(new DecodeResult.Value<>(bad));
    }
}

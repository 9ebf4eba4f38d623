package dev.claimstream.kafka;

import dev.claimstream.schemas.BadRecord;
import java.time.Instant;
import java.util.Optional;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Decodes records inside a processor whose source returns bytes.
 *
 * <p>So an invalid record does not stop the stream: it goes to the sink of bad records.
 */
public final class StreamReader<T extends SpecificRecord> {
    private final RecordSerde<T> serde;
    private final ProcessorContext<? super String, ? super BadRecord> context;
    private final String badRecords;

    /**
     * A reader for the processor of this context.
     *
     * @param badRecords name of the sink of {@code bad-records.v1} in the topology
     */
    public StreamReader(
            RecordSerde<T> serde, ProcessorContext<? super String, ? super BadRecord> context, String badRecords) {
        this.serde = serde;
        this.context = context;
        this.badRecords = badRecords;
    }

    /** The position of the record that is being processed; empty in a punctuation. */
    public Optional<BadRecords.RecordPosition> position() {
        return context.recordMetadata()
                .map(meta -> new BadRecords.RecordPosition(meta.topic(), meta.partition(), meta.offset()));
    }

    /**
     * Decodes a record; empty if it was sent to the sink of bad records.
     *
     * @throws dev.claimstream.kafka.registry.RegistryException if the registry does not respond; the stream must retry
     */
    public Optional<DecodeResult<T>> read(Record<byte[], byte[]> record) {
        BadRecords.RecordPosition position = position()
                .orElseThrow(() -> new IllegalStateException("the position is known only while a record is processed"));
        DecodeResult<T> decoded = serde.read(position.topic(), record.value());
        if (decoded instanceof DecodeResult.Failure<T> failure) {
            forward(position, record, failure);
            return Optional.empty();
        }
        return Optional.of(decoded);
    }

    private void forward(
            BadRecords.RecordPosition position, Record<byte[], byte[]> record, DecodeResult.Failure<T> failure) {
        BadRecord value = BadRecords.of(
                position, record.key(), record.value(), Instant.ofEpochMilli(record.timestamp()), failure);
        context.forward(new Record<>(position.topic(), value, record.timestamp()), badRecords);
    }
}

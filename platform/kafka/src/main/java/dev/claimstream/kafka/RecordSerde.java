package dev.claimstream.kafka;

import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/** Encodes and decodes values in Confluent's wire format. Safe for many threads. */
public interface RecordSerde<T extends SpecificRecord> extends Serde<T> {
    /**
     * Decodes bytes. Invalid bytes are a result, not an exception.
     *
     * @throws dev.claimstream.kafka.registry.RegistryException if the registry does not respond, so that nothing is known about the bytes
     */
    DecodeResult<T> read(String topic, byte @Nullable [] bytes);

    /**
     * Encodes a value.
     *
     * @throws dev.claimstream.kafka.registry.RegistryException if the registry rejects the schema or does not respond
     */
    byte[] write(String topic, T value);

    @Override
    default Serializer<T> serializer() {
        return (topic, value) -> value == null ? null : write(topic, value);
    }

    @Override
    default Deserializer<T> deserializer() {
        return (topic, bytes) -> switch (read(topic, bytes)) {
            case DecodeResult.Value<T>(T value) -> value;
            case DecodeResult.Tombstone<T>() -> null;
            case DecodeResult.Failure<T> failure -> throw new BadRecordException(topic, failure);
        };
    }
}

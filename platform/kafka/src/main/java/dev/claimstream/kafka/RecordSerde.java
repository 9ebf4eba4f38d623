package dev.claimstream.kafka;

import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/** Turns values into bytes and back, in Confluent's wire format. Safe for many threads. */
public interface RecordSerde<T extends SpecificRecord> extends Serde<T> {
    /**
     * What these bytes say; bytes that are no value are an answer, not an exception.
     *
     * @throws dev.claimstream.kafka.registry.RegistryException if the registry does not answer: then nothing is known about the bytes
     */
    Decoded<T> read(String topic, byte @Nullable [] bytes);

    /**
     * The bytes of a value.
     *
     * @throws dev.claimstream.kafka.registry.RegistryException if the registry refuses the schema, or does not answer
     */
    byte[] write(String topic, T value);

    @Override
    default Serializer<T> serializer() {
        return (topic, value) -> value == null ? null : write(topic, value);
    }

    @Override
    default Deserializer<T> deserializer() {
        return (topic, bytes) -> switch (read(topic, bytes)) {
            case Decoded.Value<T>(T value) -> value;
            case Decoded.Tombstone<T>() -> null;
            case Decoded.Bad<T> bad -> throw new BadRecordException(topic, bad);
        };
    }
}

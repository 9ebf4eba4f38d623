package dev.claimstream.kafka;

import java.util.Map;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Wraps serializers that the configuration names by class, such as Confluent's.
 *
 * <p>There is no common exception for invalid bytes or an unavailable registry. A retriable exception means that the registry is
 * unavailable; every other {@link SerializationException} means that the bytes are invalid.
 */
public final class NamedSerde<T extends SpecificRecord> implements RecordSerde<T> {
    private final Class<T> type;
    private final Serializer<Object> serializer;
    private final Deserializer<Object> deserializer;

    private NamedSerde(Class<T> type, Serializer<Object> serializer, Deserializer<Object> deserializer) {
        this.type = type;
        this.serializer = serializer;
        this.deserializer = deserializer;
    }

    /**
     * Creates and configures the named classes; the settings include {@code schema.registry.url}.
     *
     * @throws ConfigException if a class does not exist or has the wrong type
     */
    @SuppressWarnings("unchecked") // the class of a serializer does not contain the type of its values
    public static <T extends SpecificRecord> NamedSerde<T> of(
            Class<T> type, String serializer, String deserializer, Map<String, ?> settings) {
        Serializer<Object> writes = instance(serializer, Serializer.class);
        Deserializer<Object> reads = instance(deserializer, Deserializer.class);
        writes.configure(settings, false);
        reads.configure(settings, false);
        return new NamedSerde<>(type, writes, reads);
    }

    private static <C> C instance(String name, Class<C> as) {
        try {
            return Utils.newInstance(name, as);
        } catch (ClassNotFoundException e) {
            throw new ConfigException(
                    "class %s is not on the class path: add its jar, or leave the name out for the built-in serializer"
                            .formatted(name));
        } catch (ClassCastException e) {
            throw new ConfigException("class %s is not a %s".formatted(name, as.getName()));
        }
    }

    @Override
    public byte[] write(String topic, T value) {
        return serializer.serialize(topic, value);
    }

    @Override
    public DecodeResult<T> read(String topic, byte @Nullable [] bytes) {
        if (bytes == null) {
            return new DecodeResult.Tombstone<>();
        }
        try {
            Object value = deserializer.deserialize(topic, bytes);
            return type.isInstance(value)
                    ? new DecodeResult.Value<>(type.cast(value))
                    : new DecodeResult.Failure<>(
                            BadRecordReason.WRONG_SCHEMA,
                            "read as " + value.getClass().getName());
        } catch (RetriableException e) {
            throw e;
        } catch (SerializationException e) {
            return new DecodeResult.Failure<>(BadRecordReason.MALFORMED, String.valueOf(e.getMessage()));
        }
    }

    @Override
    public void close() {
        serializer.close();
        deserializer.close();
    }
}

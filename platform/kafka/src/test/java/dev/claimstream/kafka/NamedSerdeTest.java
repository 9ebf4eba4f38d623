package dev.claimstream.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.DeviceIdRecord;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A serde whose serializer and deserializer are configured by class name. */
class NamedSerdeTest {
    private static final DeviceIdRecord GPU = new DeviceIdRecord("gpu.example.com", "node-1", "gpu-0");

    /** A third-party serializer, which has only its class and its settings. */
    public static final class ConfiguredSerializer implements Serializer<Object>, Deserializer<Object> {
        static final AvroSerde<DeviceIdRecord> SERDE = AvroSerde.of(DeviceIdRecord.class, SchemaRegistry.inMemory());

        private boolean ready;

        @Override
        public void configure(Map<String, ?> configs, boolean isKey) {
            ready = "http://registry".equals(configs.get("schema.registry.url")) && !isKey;
        }

        @Override
        public byte[] serialize(String topic, Object data) {
            assertThat(ready).isTrue();
            return SERDE.write(topic, (DeviceIdRecord) data);
        }

        @Override
        public @Nullable Object deserialize(String topic, byte[] data) {
            assertThat(ready).isTrue();
            return switch (new String(data, StandardCharsets.UTF_8)) {
                case "late" -> throw new TimeoutException("registry does not respond");
                case "bad" -> throw new SerializationException("no Avro");
                case "other" -> "a text";
                default -> SERDE.deserializer().deserialize(topic, data);
            };
        }

        @Override
        public void close() {}
    }

    private final NamedSerde<DeviceIdRecord> serde = NamedSerde.of(
            DeviceIdRecord.class,
            ConfiguredSerializer.class.getName(),
            ConfiguredSerializer.class.getName(),
            Map.of("schema.registry.url", "http://registry"));

    @Test
    void loadsSerializersByClassName() {
        assertThat(serde.read("t", serde.write("t", GPU))).isEqualTo(new DecodeResult.Value<>(GPU));
        assertThat(serde.read("t", null)).isEqualTo(new DecodeResult.Tombstone<>());
        assertThat(serde.read("t", "bad".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(new DecodeResult.Failure<>(BadRecordReason.MALFORMED, "no Avro"));
        assertThat(serde.read("t", "other".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(new DecodeResult.Failure<>(BadRecordReason.WRONG_SCHEMA, "read as java.lang.String"));
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> serde.read("t", "late".getBytes(StandardCharsets.UTF_8)));
        serde.close();
    }

    @Test
    void rejectsClassNameThatIsNoSerializer() {
        assertThatThrownBy(() -> createSerde("com.example.Missing"))
                .hasMessageContaining("com.example.Missing is not on the class path");
        assertThatThrownBy(() -> createSerde("java.lang.String")).hasMessageContaining("java.lang.String");
    }

    private static NamedSerde<DeviceIdRecord> createSerde(String serializer) {
        return NamedSerde.of(DeviceIdRecord.class, serializer, ConfiguredSerializer.class.getName(), Map.of());
    }
}

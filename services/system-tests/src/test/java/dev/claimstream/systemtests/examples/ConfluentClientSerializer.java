package dev.claimstream.systemtests.examples;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.EncoderFactory;
import org.apache.flink.avro.registry.confluent.shaded.io.confluent.kafka.schemaregistry.client.CachedSchemaRegistryClient;
import org.apache.flink.avro.registry.confluent.shaded.io.confluent.kafka.schemaregistry.client.SchemaMetadata;
import org.apache.flink.avro.registry.confluent.shaded.io.confluent.kafka.schemaregistry.client.rest.exceptions.RestClientException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * Finds schemas as Confluent's serializer does with {@code use.latest.version}: with Confluent's registry client and the
 * same settings. The Java program of {@code deploy/producers} loads it by name.
 */
public final class ConfluentClientSerializer implements Serializer<GenericRecord> {
    private static final int CACHED_SCHEMAS = 100;

    private @Nullable CachedSchemaRegistryClient client;

    static CachedSchemaRegistryClient client(Map<String, ?> configs) {
        if (!Boolean.FALSE.equals(configs.get("auto.register.schemas"))
                || !Boolean.TRUE.equals(configs.get("use.latest.version"))) {
            throw new IllegalArgumentException("the program registers schemas: " + configs);
        }
        return new CachedSchemaRegistryClient(
                Objects.requireNonNull(configs.get("schema.registry.url")).toString(), CACHED_SCHEMAS);
    }

    @Override
    public void configure(Map<String, ?> configs, boolean isKey) {
        client = client(configs);
    }

    @Override
    public byte[] serialize(String topic, GenericRecord value) {
        try {
            SchemaMetadata latest = Objects.requireNonNull(client).getLatestSchemaMetadata(topic + "-value");
            var bytes = new ByteArrayOutputStream();
            bytes.writeBytes(ByteBuffer.allocate(Byte.BYTES + Integer.BYTES)
                    .put((byte) 0)
                    .putInt(latest.getId())
                    .array());
            var encoder = EncoderFactory.get().binaryEncoder(bytes, null);
            new GenericDatumWriter<GenericRecord>(new Schema.Parser().parse(latest.getSchema())).write(value, encoder);
            encoder.flush();
            return bytes.toByteArray();
        } catch (RestClientException e) {
            throw new SerializationException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

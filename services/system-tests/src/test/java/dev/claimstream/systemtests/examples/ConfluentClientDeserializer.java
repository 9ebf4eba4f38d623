package dev.claimstream.systemtests.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.flink.avro.registry.confluent.shaded.io.confluent.kafka.schemaregistry.client.CachedSchemaRegistryClient;
import org.apache.flink.avro.registry.confluent.shaded.io.confluent.kafka.schemaregistry.client.rest.exceptions.RestClientException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/** Reads values with Confluent's registry client. */
public final class ConfluentClientDeserializer implements Deserializer<GenericRecord> {
    private @Nullable CachedSchemaRegistryClient client;

    @Override
    public void configure(Map<String, ?> configs, boolean isKey) {
        client = ConfluentClientSerializer.client(configs);
    }

    @Override
    public @Nullable GenericRecord deserialize(String topic, byte @Nullable [] bytes) {
        if (bytes == null) {
            return null; // a tombstone
        }
        ByteBuffer header = ByteBuffer.wrap(bytes);
        if (header.get() != 0) {
            throw new SerializationException("not in Confluent's wire format");
        }
        try {
            var schema = Objects.requireNonNull(client).getSchemaById(header.getInt());
            var reader = new GenericDatumReader<GenericRecord>(new Schema.Parser().parse(schema.canonicalString()));
            int start = header.position();
            return reader.read(null, DecoderFactory.get().binaryDecoder(bytes, start, bytes.length - start, null));
        } catch (RestClientException e) {
            throw new SerializationException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

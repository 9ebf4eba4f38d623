package example.site;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.common.serialization.Deserializer;

/** Reads Confluent's wire format without Confluent's libraries. */
public final class WireDeserializer implements Deserializer<GenericRecord> {
    private RegistryClient registry;

    @Override
    public void configure(Map<String, ?> configs, boolean isKey) {
        registry = new RegistryClient((String) configs.get("schema.registry.url"));
    }

    @Override
    public GenericRecord deserialize(String topic, byte[] bytes) {
        if (bytes == null) {
            return null; // a tombstone
        }
        var reader = new GenericDatumReader<GenericRecord>(registry.byId(ByteBuffer.wrap(bytes).getInt(1)));
        try {
            return reader.read(null, DecoderFactory.get().binaryDecoder(bytes, 5, bytes.length - 5, null));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

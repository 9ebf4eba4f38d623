package example.site;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.EncoderFactory;
import org.apache.kafka.common.serialization.Serializer;

/** Confluent's wire format without Confluent's libraries: a zero byte, the schema's id, Avro's binary encoding. */
public final class WireSerializer implements Serializer<GenericRecord> {
    private RegistryClient registry;

    @Override
    public void configure(Map<String, ?> configs, boolean isKey) {
        registry = new RegistryClient((String) configs.get("schema.registry.url"));
    }

    @Override
    public byte[] serialize(String topic, GenericRecord value) {
        var latest = registry.latest(topic);
        var bytes = new ByteArrayOutputStream();
        bytes.writeBytes(ByteBuffer.allocate(5).put((byte) 0).putInt(latest.id()).array());
        var encoder = EncoderFactory.get().binaryEncoder(bytes, null);
        try {
            new GenericDatumWriter<GenericRecord>(latest.schema()).write(value, encoder);
            encoder.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}

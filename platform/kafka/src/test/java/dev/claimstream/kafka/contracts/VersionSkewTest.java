package dev.claimstream.kafka.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.Topic;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificRecord;
import org.apache.avro.util.RandomData;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Services of the next version beside those of this one: each record of the next schema, with a field more in every
 * nested record, is read by this version, and what this version writes is read by the next one.
 */
final class VersionSkewTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ADDED = "addedByNextVersion";
    private static final int HEADER_BYTES = 5;
    private static final int RECORDS = 50;
    private static final long SEED = 7;

    static Stream<Topic> topics() {
        return Topics.shipped().all().stream().filter(each -> each.value().isPresent());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("topics")
    void recordsOfBothVersionsAreReadByBoth(Topic topic) throws IOException, ClassNotFoundException {
        Schema current =
                Objects.requireNonNull(SubjectSchemas.shipped().bySubject().get(topic.subject()));
        Schema next = nextVersion(current);
        assertThat(next).isNotEqualTo(current);
        SchemaRegistry registry = SchemaRegistry.inMemory();
        registry.register(topic.subject(), current);
        int nextId = registry.register(topic.subject(), next); // rejected unless it is FULL_TRANSITIVE
        assertBothAreRead(topic.name(), serde(topic, registry), registry, nextId, withoutLogicalTypes(next));
    }

    private static AvroSerde<? extends SpecificRecord> serde(Topic topic, SchemaRegistry registry)
            throws ClassNotFoundException {
        return AvroSerde.of(Class.forName(topic.value().orElseThrow()).asSubclass(SpecificRecord.class), registry);
    }

    private static <T extends SpecificRecord> void assertBothAreRead(
            String topic, AvroSerde<T> serde, SchemaRegistry registry, int nextId, Schema next) throws IOException {
        for (Object each : new RandomData(next, RECORDS, SEED)) {
            GenericRecord newer = (GenericRecord) each;
            T older = value(serde.read(topic, encode(nextId, next, newer)));
            GenericRecord back = decode(serde.write(topic, older), registry, next);
            assertThat(back.get(ADDED)).isNull();
            T again = value(serde.read(topic, encode(nextId, next, back)));
            assertThat(decode(serde.write(topic, again), registry, next))
                    .as("nothing of this version is lost")
                    .isEqualTo(back);
        }
    }

    private static <T> T value(DecodeResult<T> read) {
        assertThat(read).isInstanceOf(DecodeResult.Value.class);
        return ((DecodeResult.Value<T>) read).value();
    }

    private static byte[] encode(int id, Schema schema, GenericRecord value) throws IOException {
        var bytes = new ByteArrayOutputStream();
        bytes.write(ByteBuffer.allocate(HEADER_BYTES).put((byte) 0).putInt(id).array());
        var encoder = EncoderFactory.get().binaryEncoder(bytes, null);
        new GenericDatumWriter<GenericRecord>(schema).write(value, encoder);
        encoder.flush();
        return bytes.toByteArray();
    }

    private static GenericRecord decode(byte[] bytes, SchemaRegistry registry, Schema reader) throws IOException {
        Schema writer = registry.byId(ByteBuffer.wrap(bytes, 1, Integer.BYTES).getInt());
        byte[] value = Arrays.copyOfRange(bytes, HEADER_BYTES, bytes.length);
        return new GenericDatumReader<GenericRecord>(writer, reader)
                .read(null, DecoderFactory.get().binaryDecoder(value, null));
    }

    /** The same schema in bytes, whose random values are plain numbers. */
    private static Schema withoutLogicalTypes(Schema schema) throws IOException {
        JsonNode json = JSON.readTree(schema.toString());
        json.findParents("logicalType").forEach(each -> ((ObjectNode) each).remove("logicalType"));
        return new Schema.Parser().parse(json.toString());
    }

    /** Adds an optional field to every record. */
    private static Schema nextVersion(Schema schema) throws IOException {
        JsonNode json = JSON.readTree(schema.toString());
        addField(json);
        return new Schema.Parser().parse(json.toString());
    }

    private static void addField(JsonNode node) {
        node.forEach(VersionSkewTest::addField);
        if (node instanceof ObjectNode object && object.path("type").asText().equals("record")) {
            object.withArray("fields")
                    .add(JSON.createObjectNode()
                            .put("name", ADDED)
                            .put("doc", "added")
                            .<ObjectNode>set(
                                    "type", JSON.createArrayNode().add("null").add("string"))
                            .<ObjectNode>set("default", JSON.nullNode()));
        }
    }
}

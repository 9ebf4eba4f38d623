package dev.claimstream.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.AttributeValueRecord;
import dev.claimstream.schemas.DeviceIdRecord;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.StaleMarker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.EncoderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Avro encoding with schema ids, and decoding of valid, foreign and damaged bytes. */
class AvroSerdeTest {
    private static final String TOPIC = "devices.v1";
    private static final DeviceIdRecord GPU = new DeviceIdRecord("gpu.example.com", "node-1", "gpu-0");

    private final SchemaRegistry registry = SchemaRegistry.inMemory();
    private final AvroSerde<DeviceIdRecord> serde = AvroSerde.of(DeviceIdRecord.class, registry);

    @Test
    void writesZeroByteSchemaIdAndAvroBinary() {
        assertThat(HexFormat.of().formatHex(serde.write(TOPIC, new DeviceIdRecord("a", "bc", ""))))
                .isEqualTo("00" + "00000001" + "0261" + "046263" + "00");
    }

    @Test
    void readsWrittenValue() {
        assertThat(serde.read(TOPIC, serde.write(TOPIC, GPU))).isEqualTo(new DecodeResult.Value<>(GPU));
        assertThat(serde.serializer().serialize(TOPIC, GPU)).isEqualTo(serde.write(TOPIC, GPU));
        assertThat(serde.deserializer().deserialize(TOPIC, serde.write(TOPIC, GPU)))
                .isEqualTo(GPU);
    }

    @Test
    void readsTextAsStringAndAbsentFieldAsEmpty() {
        var inventory = AvroSerde.of(InventoryRecord.class, registry);
        var stale = InventoryRecord.newBuilder()
                .setSource("watcher")
                .setEpoch(3)
                .setVersion(9)
                .setUid("")
                .setStale(new StaleMarker("Node"))
                .build();
        assertThat(inventory.read(TOPIC, inventory.write(TOPIC, stale)))
                .isInstanceOfSatisfying(DecodeResult.Value.class, value -> {
                    InventoryRecord read = (InventoryRecord) value.value();
                    assertThat(read.getStale())
                            .hasValueSatisfying(
                                    each -> assertThat(each.getKind()).isEqualTo("Node"));
                    assertThat(read.getNode()).isEmpty();
                });
    }

    @Test
    void registersSchemaWithoutJavaProperties() {
        serde.write(TOPIC, GPU);
        assertThat(registry.byId(1).toString())
                .doesNotContain("avro.java.string")
                .contains("\"doc\"");
    }

    @Test
    void readsNullAsTombstone() {
        assertThat(serde.read(TOPIC, null)).isEqualTo(new DecodeResult.Tombstone<>());
        assertThat(serde.deserializer().deserialize(TOPIC, null)).isNull();
        assertThat(serde.serializer().serialize(TOPIC, null)).isNull();
    }

    @Test
    void reportsReasonOfEachBadRecord() {
        byte[] good = serde.write(TOPIC, GPU);
        assertBad(new byte[0], BadRecordReason.NO_MAGIC_BYTE, "no bytes");
        assertBad("{\"a\":1}".getBytes(StandardCharsets.UTF_8), BadRecordReason.NO_MAGIC_BYTE, "0x7b");
        assertBad(new byte[] {0, 0}, BadRecordReason.TRUNCATED, "header");
        assertBad(new byte[] {0, 0, 0, 0, 99}, BadRecordReason.UNKNOWN_SCHEMA, "schema id 99");
        assertBad(Arrays.copyOf(good, good.length - 1), BadRecordReason.TRUNCATED, String.valueOf(good.length - 1));
        assertBad(Arrays.copyOf(good, good.length + 1), BadRecordReason.TRAILING_BYTES, "");
        assertBad(new byte[AvroSerde.BYTES_MAX + 1], BadRecordReason.TOO_LARGE, "1048577 bytes, at most 1048576");
        assertBad(withHeader("01"), BadRecordReason.MALFORMED, "negative"); // a string of -1 bytes
        assertBad(withHeader("ffffffffffffffffffff01"), BadRecordReason.MALFORMED, "");
        assertThat(serde.read(TOPIC, good)).isInstanceOf(DecodeResult.Value.class);
    }

    @Test
    void rejectsTextWithExcessiveLength() {
        assertBad(withHeader("eeffffff0f"), BadRecordReason.TRUNCATED, "10 bytes");
        assertBad(withHeader("feffffff0f"), BadRecordReason.MALFORMED, "2147483639");
    }

    @Test
    void rejectsListWithExcessiveCount() {
        var attributes = AvroSerde.of(AttributeValueRecord.class, registry);
        byte[] good = attributes.write(
                TOPIC + "2",
                AttributeValueRecord.newBuilder().setIntList(List.of(1L)).build());
        // header, four nulls, branch 1, count 1 (02): the count becomes 10^9
        byte[] claims = ByteBuffer.allocate(32)
                .put(good, 0, 10)
                .put(HexFormat.of().parseHex("80a8d6b907"))
                .put((byte) 2)
                .array();
        assertThat(attributes.read(TOPIC, claims)).isInstanceOf(DecodeResult.Failure.class);
    }

    @Test
    void rejectsForeignSchemaAndReadsOtherVersion() throws IOException {
        Schema other = SchemaBuilder.record("Invoice")
                .fields()
                .requiredString("number")
                .endRecord();
        assertBad(writeWithSchema(other, "number", "7"), BadRecordReason.WRONG_SCHEMA, "Invoice");
        Schema newer = new Schema.Parser()
                .parse(registry.byId(registry.register("d", PublishedSchema.of(DeviceIdRecord.getClassSchema())))
                        .toString()
                        .replace(
                                "\"fields\":[",
                                "\"fields\":[{\"name\":\"site\",\"type\":\"string\",\"default\":\"\"},"));
        assertThat(serde.read(TOPIC, writeWithSchema(newer, "site", "x")))
                .isEqualTo(new DecodeResult.Value<>(new DeviceIdRecord("", "", "")));
    }

    @Test
    void unreachableRegistryDoesNotMakeRecordBad() {
        var silent = AvroSerde.of(DeviceIdRecord.class, new SchemaRegistry() {
            @Override
            public int register(String subject, Schema schema) {
                return 1;
            }

            @Override
            public Schema byId(int id) {
                throw new RegistryException(RegistryException.RegistryErrorCode.UNREACHABLE, "no response", null);
            }
        });
        assertThatExceptionOfType(RegistryException.class)
                .isThrownBy(() -> silent.read(TOPIC, serde.write(TOPIC, GPU)));
    }

    @Test
    void failedWriteLeavesNoBytesBehind() {
        byte[] before = serde.write(TOPIC, GPU);
        assertThatThrownBy(() -> serde.write(TOPIC, incomplete())).isInstanceOf(RuntimeException.class);
        assertThat(serde.write(TOPIC, GPU)).isEqualTo(before);
    }

    @Test
    void deserializerNamesTopicReasonAndBytes() {
        assertThatThrownBy(() -> serde.deserializer().deserialize(TOPIC, new byte[] {1}))
                .isInstanceOf(BadRecordException.class)
                .hasMessage("topic devices.v1: NoMagicByte: the first byte is 0x01");
    }

    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void randomBytesCauseNoExceptionOrExcessiveMemory(long seed) {
        var random = new Random(seed);
        var inventory = AvroSerde.of(InventoryRecord.class, registry);
        byte[] bytes = inventory.write(
                TOPIC + "3",
                InventoryRecord.newBuilder()
                        .setSource("s")
                        .setEpoch(1)
                        .setVersion(1)
                        .setUid("u")
                        .setStale(new StaleMarker("Pod"))
                        .build());
        for (int i = 0; i < 200; i++) {
            byte[] changed = Arrays.copyOf(bytes, bytes.length + random.nextInt(40));
            for (int j = random.nextInt(12); j >= 0; j--) {
                int at = 5 + random.nextInt(changed.length - 5);
                changed[at] = (byte) random.nextInt();
            }
            assertThat(inventory.read(TOPIC, changed)).isNotNull();
        }
    }

    private void assertBad(byte[] bytes, BadRecordReason reason, String message) {
        assertThat(serde.read(TOPIC, bytes)).isInstanceOfSatisfying(DecodeResult.Failure.class, bad -> {
            assertThat(bad.reason()).isEqualTo(reason);
            assertThat(bad.message()).contains(message);
        });
    }

    private byte[] withHeader(String hex) {
        serde.write(TOPIC, GPU);
        return HexFormat.of().parseHex("0000000001" + hex);
    }

    private byte[] writeWithSchema(Schema schema, String field, String value) throws IOException {
        GenericRecord record = new GenericData.Record(schema);
        schema.getFields().forEach(each -> record.put(each.pos(), ""));
        record.put(field, value);
        var out = new ByteArrayOutputStream();
        out.write(ByteBuffer.allocate(5)
                .putInt(1, registry.register(schema.getName() + "-value", schema))
                .array());
        var encoder = EncoderFactory.get().directBinaryEncoder(out, null);
        new GenericDatumWriter<GenericRecord>(schema).write(record, encoder);
        return out.toByteArray();
    }

    @SuppressWarnings("NullAway") // the test passes an invalid value on purpose
    private static DeviceIdRecord incomplete() {
        return new DeviceIdRecord("gpu.example.com", "node-1", null);
    }
}

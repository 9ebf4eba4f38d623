package dev.claimstream.kafka;

import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.SchemaRegistry;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.SchemaCompatibility.SchemaCompatibilityType;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DatumReader;
import org.apache.avro.io.DatumWriter;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes Avro records in Confluent's wire format.
 *
 * <p>A value is a zero byte, the schema id in four bytes, and Avro's binary encoding. Values of another version of the schema are decoded
 * as the version of this program. The subject of a topic is {@code <topic>-value}. Safe for many threads.
 */
public final class AvroSerde<T extends SpecificRecord> implements RecordSerde<T> {
    /** The default maximum size of a value in bytes, as of Kafka's brokers. */
    public static final int BYTES_MAX = 1 << 20;

    static final byte MAGIC = 0;
    static final int HEADER_BYTES = 5;

    private static final ThreadLocal<AvroBuffer> BUFFER = ThreadLocal.withInitial(AvroBuffer::new);

    /** A process makes dozens of serdes for a few types, and parsing a schema takes milliseconds. */
    private static final Map<Schema, Schema> PUBLISHED = Collections.synchronizedMap(new IdentityHashMap<>());

    private final Class<T> type;
    private final Schema schema;
    private final Schema published;
    private final DatumWriter<T> writer;
    private final SchemaRegistry registry;
    private final int bytesMax;
    private final Map<String, Integer> idByTopic = new ConcurrentHashMap<>();
    private final Map<Integer, WriterSchema<T>> writerSchemaById = new ConcurrentHashMap<>();

    /** Whether values of a schema id can be decoded. */
    private sealed interface WriterSchema<T> {
        record CompatibleSchema<T>(DatumReader<T> reader) implements WriterSchema<T> {}

        record IncompatibleSchema<T>(String reason) implements WriterSchema<T> {}
    }

    private AvroSerde(Class<T> type, SchemaRegistry registry, int bytesMax) {
        TrustedRecords.trustPackageOf(type);
        this.type = type;
        this.schema = SpecificData.get().getSchema(type);
        this.published = PUBLISHED.computeIfAbsent(schema, PublishedSchema::of);
        this.writer = new SpecificDatumWriter<>(schema);
        this.registry = registry;
        this.bytesMax = bytesMax;
    }

    /** A serde for values of up to {@link #BYTES_MAX} bytes. */
    public static <T extends SpecificRecord> AvroSerde<T> of(Class<T> type, SchemaRegistry registry) {
        return new AvroSerde<>(type, registry, BYTES_MAX);
    }

    /** A copy with another maximum size in bytes. */
    public AvroSerde<T> withBytesMax(int other) {
        return new AvroSerde<>(type, registry, other);
    }

    @Override
    public byte[] write(String topic, T value) {
        Integer id = idByTopic.get(topic);
        if (id == null) {
            id = idByTopic.computeIfAbsent(topic, name -> registry.register(name + "-value", published));
        }
        return BUFFER.get().write(id, writer, value);
    }

    @Override
    public DecodeResult<T> read(String topic, byte @Nullable [] bytes) {
        if (bytes == null) {
            return new DecodeResult.Tombstone<>();
        }
        if (bytes.length > bytesMax) {
            return failure(BadRecordReason.TOO_LARGE, "%d bytes, at most %d".formatted(bytes.length, bytesMax));
        }
        if (bytes.length == 0 || bytes[0] != MAGIC) {
            return failure(BadRecordReason.NO_MAGIC_BYTE, describeFirstByte(bytes));
        }
        if (bytes.length < HEADER_BYTES) {
            return failure(
                    BadRecordReason.TRUNCATED,
                    "%d bytes, the header alone has %d".formatted(bytes.length, HEADER_BYTES));
        }
        return readAs(ByteBuffer.wrap(bytes).getInt(1), bytes);
    }

    private DecodeResult<T> readAs(int id, byte[] bytes) {
        WriterSchema<T> as = writerSchemaById.get(id);
        if (as == null) {
            try {
                as = writerSchemaById.computeIfAbsent(id, this::writerSchemaById);
            } catch (RegistryException e) {
                if (e.errorCode().isRetriable()) {
                    throw e;
                }
                return failure(BadRecordReason.UNKNOWN_SCHEMA, "schema id %d: %s".formatted(id, e.getMessage()));
            }
        }
        return switch (as) {
            case WriterSchema.CompatibleSchema<T>(DatumReader<T> reader) -> decode(reader, bytes);
            case WriterSchema.IncompatibleSchema<T>(String reason) -> failure(BadRecordReason.WRONG_SCHEMA, reason);
        };
    }

    private WriterSchema<T> writerSchemaById(int id) {
        Schema from = registry.byId(id);
        var compatibility = SchemaCompatibility.checkReaderWriterCompatibility(schema, from);
        return compatibility.getType() == SchemaCompatibilityType.COMPATIBLE
                ? new WriterSchema.CompatibleSchema<>(new SpecificDatumReader<>(from, schema))
                : new WriterSchema.IncompatibleSchema<>(foreign(id, from, compatibility.getResult()));
    }

    private String foreign(int id, Schema from, SchemaCompatibility.SchemaCompatibilityResult result) {
        return "schema id %d is %s, which cannot be read as %s: %s"
                .formatted(
                        id,
                        from.getFullName(),
                        schema.getFullName(),
                        result.getIncompatibilities().getFirst());
    }

    private DecodeResult<T> decode(DatumReader<T> reader, byte[] bytes) {
        BinaryDecoder decoder = BUFFER.get().decoder(bytes);
        try {
            T value = reader.read(null, decoder);
            if (!decoder.isEnd()) {
                return failure(BadRecordReason.TRAILING_BYTES, "the value ends before byte %d".formatted(bytes.length));
            }
            return new DecodeResult.Value<>(value);
        } catch (EOFException e) {
            return failure(BadRecordReason.TRUNCATED, "the value does not end within %d bytes".formatted(bytes.length));
        } catch (IOException | RuntimeException | StackOverflowError e) {
            // Avro reports invalid bytes by many exceptions
            return failure(BadRecordReason.MALFORMED, e.getClass().getSimpleName() + ": " + e.getMessage());
        }
    }

    private static String describeFirstByte(byte[] bytes) {
        return bytes.length == 0 ? "no bytes, and no tombstone" : "the first byte is 0x%02x".formatted(bytes[0]);
    }

    private static <T> DecodeResult<T> failure(BadRecordReason reason, String message) {
        return new DecodeResult.Failure<>(reason, message);
    }
}

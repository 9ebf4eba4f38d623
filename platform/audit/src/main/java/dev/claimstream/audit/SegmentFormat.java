package dev.claimstream.audit;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;

/** The schema of the records in a segment: an Avro container file of records as bytes. */
final class SegmentFormat {
    static final Schema SCHEMA = SchemaBuilder.record("ArchivedRecord")
            .namespace("dev.claimstream.archive")
            .doc(
                    "A record of a topic, with its value as it was stored: a zero byte, the schema id, Avro's binary form.")
            .fields()
            .requiredLong("offset")
            .requiredLong("timestamp")
            .optionalBytes("key")
            .optionalBytes("value")
            .name("erased")
            .doc("Whether names were erased in the value.")
            .type()
            .booleanType()
            .booleanDefault(false)
            .endRecord();

    private static final int ZSTD_LEVEL = 3;

    private SegmentFormat() {}

    /** Begins the file of a segment. */
    static DataFileWriter<GenericRecord> writer(OutputStream out) throws IOException {
        return new DataFileWriter<GenericRecord>(new GenericDatumWriter<>(SCHEMA))
                .setCodec(CodecFactory.zstandardCodec(ZSTD_LEVEL))
                .create(SCHEMA, out);
    }

    static GenericRecord to(LogRecord record) {
        var archived = new GenericData.Record(SCHEMA);
        archived.put("offset", record.offset());
        archived.put("timestamp", record.timestamp().toEpochMilli());
        archived.put("key", record.key().map(ByteBuffer::wrap).orElse(null));
        archived.put("value", record.value().map(ByteBuffer::wrap).orElse(null));
        archived.put("erased", record.isErased());
        return archived;
    }

    static LogRecord from(String topic, int partition, GenericRecord archived) {
        return new LogRecord(
                topic,
                partition,
                (long) archived.get("offset"),
                Instant.ofEpochMilli((long) archived.get("timestamp")),
                bytes(archived.get("key")),
                bytes(archived.get("value")),
                (boolean) archived.get("erased"));
    }

    private static Optional<byte[]> bytes(@Nullable Object field) {
        return field instanceof ByteBuffer buffer ? Optional.of(LedgerEntryReader.bytes(buffer)) : Optional.empty();
    }
}

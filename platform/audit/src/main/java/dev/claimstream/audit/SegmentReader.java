package dev.claimstream.audit;

import java.io.IOException;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.file.DataFileStream;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;

/** Reads one segment from its beginning to its end, with pauses. Not safe for several threads. */
final class SegmentReader implements AutoCloseable {
    private final SegmentManifest manifest;
    private final StoredFile file;
    private final DataFileStream<GenericRecord> records;

    /** The next record; empty at the end. */
    private Optional<LogRecord> next = Optional.empty();

    /** Offset after the last record that was passed on. */
    private long position;

    private SegmentReader(SegmentManifest manifest, StoredFile file, DataFileStream<GenericRecord> records) {
        this.manifest = manifest;
        this.file = file;
        this.records = records;
        position = manifest.from();
    }

    static SegmentReader open(SegmentFiles.StoredManifest stored) {
        StoredFile file = stored.records();
        try {
            return new SegmentReader(
                    stored.manifest(),
                    file,
                    new DataFileStream<>(file.open(), new GenericDatumReader<>(null, SegmentFormat.SCHEMA)));
        } catch (IOException e) {
            throw file.unreadable(e);
        } catch (AvroRuntimeException e) {
            throw undecodable(file, stored.manifest(), e);
        }
    }

    /** Whether this reader is in the segment, at the offset or before it. */
    boolean isBefore(SegmentManifest segment, long offset) {
        return segment.equals(manifest) && position <= offset;
    }

    /** Whether every record was passed on. */
    boolean isAtEnd() {
        return peek().isEmpty();
    }

    private Optional<LogRecord> peek() {
        try {
            if (next.isEmpty() && records.hasNext()) {
                next = Optional.of(SegmentFormat.from(manifest.topic(), manifest.partition(), records.next()));
            }
            return next;
        } catch (AvroRuntimeException e) {
            throw undecodable(file, manifest, e);
        }
    }

    /** Passes the records of a range to an action; returns false if the action has stopped. */
    boolean read(long from, long to, Predicate<LogRecord> action) {
        for (Optional<LogRecord> record = peek();
                record.filter(each -> each.offset() < to).isPresent();
                record = peek()) {
            LogRecord taken = record.get();
            next = Optional.empty();
            position = taken.offset() + 1;
            if (taken.offset() >= from && !action.test(taken)) {
                return false;
            }
        }
        return true;
    }

    private static AuditException undecodable(StoredFile file, SegmentManifest manifest, AvroRuntimeException e) {
        return new AuditException(
                "%s cannot be decoded: %s. Use the release that wrote it (%s), or a later one."
                        .formatted(file, e.getMessage(), manifest.release()),
                e);
    }

    @Override
    public void close() {
        try {
            records.close();
        } catch (IOException e) {
            throw file.unreadable(e);
        }
    }
}

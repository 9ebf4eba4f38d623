package dev.claimstream.audit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;

/**
 * Erases names of pods, claims and namespaces in the old segments of an archive, and deletes its old states.
 *
 * <p>Each event of a ledger keeps its hash and the hash before it, so the chain goes on through erased events, and their content cannot
 * be verified any more. A segment is rewritten as a whole; its new manifest names the SHA-256 of the former one. A killed run leaves
 * the former segment, the new segment, or a draft that the next run publishes.
 */
public final class ArchiveErasure {
    private static final int HEADER_BYTES = 5;

    private final ArchiveStore store;
    private final SegmentFiles archive;
    private final SnapshotFiles snapshots;
    private final LegalHold hold;

    /**
     * The result of a run.
     *
     * @param segments number of rewritten segments
     * @param records number of records in which something was erased
     * @param states number of deleted states
     */
    public record ErasureSummary(int segments, long records, int states) {}

    /** @throws AuditException if the store keeps what is written once, as an object store does */
    public ArchiveErasure(ArchiveStore store) {
        if (!store.isExclusive()) {
            throw new AuditException(
                    "names are not erased in %s: an object store keeps its versions. Copy the archive to a folder, erase there, and delete the objects as the retention of the bucket permits."
                            .formatted(store.location()));
        }
        this.store = store;
        archive = new SegmentFiles(store);
        snapshots = new SnapshotFiles(store);
        hold = new LegalHold(store);
    }

    /**
     * Erases all segments whose last record is before a time. Segments that were erased before stay as they are.
     *
     * @throws AuditException if there is a legal hold, also one that is set meanwhile, another program writes to the
     *     archive, or a file cannot be read or written
     */
    public ErasureSummary run(Instant before) {
        try (var _ = store.lock()) {
            checkHold("nothing");
            int segments = 0;
            long records = 0;
            for (String topic : List.of(LogVerifier.INPUTS, LogVerifier.ROUTER_INPUTS, LogVerifier.LEDGER)) {
                for (int partition : archive.partitions(topic)) {
                    archive.manifests(topic, partition).forEach(this::publishDraft);
                    for (SegmentFiles.StoredManifest each : archive.manifests(topic, partition)) {
                        if (!each.manifest().isErased()
                                && each.manifest().lastTime().isBefore(before)) {
                            checkHold("nothing more");
                            records += erase(each);
                            segments++;
                        }
                    }
                }
            }
            return new ErasureSummary(segments, records, deleteStates(before));
        }
    }

    /** A hold may be set while this runs. */
    private void checkHold(String what) {
        hold.reason().ifPresent(reason -> {
            throw new AuditException("%s is erased: legal hold: %s. Release it first: claimstream audit hold --release"
                    .formatted(what, reason));
        });
    }

    private int deleteStates(Instant before) {
        int deleted = 0;
        for (int cell : archive.partitions(LogVerifier.INPUTS)) {
            for (CellSnapshot each : snapshots.of(cell)) {
                if (each.at().isBefore(before)) {
                    checkHold("nothing more");
                    snapshots.delete(each);
                    deleted++;
                }
            }
        }
        return deleted;
    }

    /** Publishes the manifest of a run that was killed after it had published the records. */
    private void publishDraft(SegmentFiles.StoredManifest stored) {
        String name = stored.file().name();
        try {
            Path draft = store.draft(name);
            if (!Files.exists(draft)) {
                return;
            }
            if (Files.readString(draft).contains(stored.records().sha256())) {
                store.publish(draft, name, ArchiveStore.Publication.REPLACEMENT);
            } else {
                Files.delete(draft);
            }
        } catch (IOException e) {
            throw store.unwritable(name, e);
        }
    }

    /** Rewrites a segment; returns the number of erased records. */
    private long erase(SegmentFiles.StoredManifest stored) {
        StoredFile file = stored.records();
        var values = new ErasedValues(stored.manifest());
        try {
            if (!file.sha256().equals(stored.manifest().sha256())) {
                throw new AuditException(
                        "%s: its SHA-256 is not that of its manifest, so nothing more is erased. Restore the file from a copy, or delete the segment."
                                .formatted(file));
            }
            Path draft = store.draft(file.name());
            try (SegmentReader reader = SegmentReader.open(stored);
                    OutputStream out = Files.newOutputStream(draft);
                    DataFileWriter<GenericRecord> writer = SegmentFormat.writer(out)) {
                var unused = reader.read(0, Long.MAX_VALUE, record -> append(writer, values.erase(record), file));
            }
            SegmentManifest erased = stored.manifest().erased(Files.size(draft), Sha256.of(draft), stored.sha256());
            Path manifest = store.draft(stored.file().name());
            writeDurably(manifest, erased.text());
            store.publish(draft, file.name(), ArchiveStore.Publication.REPLACEMENT);
            store.publish(manifest, stored.file().name(), ArchiveStore.Publication.REPLACEMENT);
            return values.count;
        } catch (IOException e) {
            throw store.unwritable(file.name(), e);
        }
    }

    /** The manifest must be on the disk before the records that it describes are published. */
    private static void writeDurably(Path file, String text) throws IOException {
        Files.writeString(file, text);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    private static boolean append(DataFileWriter<GenericRecord> writer, LogRecord record, StoredFile file) {
        try {
            writer.append(SegmentFormat.to(record));
            return true;
        } catch (IOException e) {
            throw file.store().unwritable(file.name(), e);
        }
    }

    /** Erases names in the values of one segment. */
    private static final class ErasedValues {
        private final boolean isLedger;
        private final Map<Integer, Schema> schemas = new HashMap<>();
        private long count;

        ErasedValues(SegmentManifest manifest) {
            isLedger = manifest.topic().equals(LogVerifier.LEDGER);
            manifest.schemas().forEach((id, schema) -> schemas.put(id, new Schema.Parser().parse(schema)));
        }

        /** The record without names. A value that cannot be decoded is left out, because it may contain names. */
        LogRecord erase(LogRecord record) {
            Optional<byte[]> value = record.value().flatMap(this::erased);
            Optional<byte[]> key = isLedger ? record.key() : Optional.empty();
            count++;
            return new LogRecord(
                    record.topic(), record.partition(), record.offset(), record.timestamp(), key, value, true);
        }

        private Optional<byte[]> erased(byte[] value) {
            if (value.length < HEADER_BYTES || value[0] != 0) {
                return Optional.empty();
            }
            Schema schema = schemas.get(ByteBuffer.wrap(value).getInt(1));
            if (schema == null) {
                return Optional.empty();
            }
            try {
                GenericRecord read = new GenericDatumReader<GenericRecord>(schema, schema, new GenericData())
                        .read(
                                null,
                                DecoderFactory.get()
                                        .binaryDecoder(value, HEADER_BYTES, value.length - HEADER_BYTES, null));
                var out = new ByteArrayOutputStream();
                out.write(value, 0, HEADER_BYTES);
                BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);
                new GenericDatumWriter<GenericRecord>(schema).write(NameErasure.erase(read), encoder);
                encoder.flush();
                return Optional.of(out.toByteArray());
            } catch (IOException | RuntimeException e) { // Avro reports invalid bytes by many exceptions
                return Optional.empty();
            }
        }
    }
}

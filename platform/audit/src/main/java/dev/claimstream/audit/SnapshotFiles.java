package dev.claimstream.audit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;

/** The state snapshots of an archive: per cell a folder {@code snapshots-<cell>} of Avro files with a manifest each. */
public final class SnapshotFiles {
    static final Schema SCHEMA = SchemaBuilder.record("SnapshotRow")
            .namespace("dev.claimstream.archive")
            .doc("A row of the state of a cell, as the changelog has it, without compression.")
            .fields()
            .requiredString("key")
            .requiredBytes("value")
            .endRecord();

    private static final int ZSTD_LEVEL = 3;

    private final ArchiveStore archive;

    public SnapshotFiles(ArchiveStore archive) {
        this.archive = archive;
    }

    /** The file of the rows after an input. */
    private StoredFile file(int cell, long input) {
        return new StoredFile(archive, folder(cell) + '/' + SegmentFiles.name(input) + SegmentFiles.DATA);
    }

    static String folder(int cell) {
        return "snapshots-" + cell;
    }

    /**
     * The snapshots of a cell in the order of their inputs.
     *
     * @throws AuditException if a manifest cannot be read
     */
    public List<CellSnapshot> of(int cell) {
        return archive.files(folder(cell)).stream()
                .filter(SegmentFiles::isManifest)
                .map(each -> read(new StoredFile(archive, folder(cell) + '/' + each), cell))
                .toList();
    }

    public Optional<CellSnapshot> last(int cell) {
        List<CellSnapshot> all = of(cell);
        return all.isEmpty() ? Optional.empty() : Optional.of(all.getLast());
    }

    /** Deletes a snapshot, its manifest first: rows without a manifest do not exist. */
    void delete(CellSnapshot snapshot) {
        archive.delete(snapshot.manifestFile().name());
        archive.delete(snapshot.file().name());
    }

    private static CellSnapshot read(StoredFile manifest, int cell) {
        String name = manifest.fileName();
        StoredFile file =
                manifest.sibling(name.substring(0, name.length() - SegmentFiles.MANIFEST.length()) + SegmentFiles.DATA);
        try {
            CellSnapshot read = CellSnapshot.of(new String(manifest.bytes(), StandardCharsets.UTF_8), manifest, file);
            if (read.cell() != cell || !read.manifestFile().equals(manifest)) {
                throw new AuditException(
                        "%s describes another state: cell %d after input %d. Restore the file from a copy."
                                .formatted(manifest, read.cell(), read.input()));
            }
            return read;
        } catch (IOException e) {
            throw manifest.unreadable(e);
        }
    }

    /** The description of a state that is not written yet: rows, hash of the file and schemas are empty. */
    public CellSnapshot describe(
            int cell,
            long input,
            Instant at,
            String ledgerHash,
            String stateHash,
            long ledgerOffset,
            String engine,
            String release) {
        return CellSnapshot.builder(cell, input, at, file(cell, input))
                .ledgerHash(ledgerHash)
                .stateHash(stateHash)
                .ledgerOffset(ledgerOffset)
                .engine(engine)
                .release(release)
                .build();
    }

    /**
     * Writes a snapshot. Its manifest comes last, so a killed writer leaves a snapshot or none.
     *
     * @param described the snapshot as {@link #describe} returns it
     * @param format the number of the format of the rows
     * @param rows the rows by their keys
     * @param unpacking makes the bytes that are written from a row
     * @param schemas the schema of an id
     * @throws AuditException if the files cannot be written
     */
    public CellSnapshot write(
            CellSnapshot described,
            int format,
            SortedMap<String, byte[]> rows,
            UnaryOperator<byte[]> unpacking,
            IntFunction<Optional<Schema>> schemas) {
        String name = described.file().name();
        try {
            Path draft = archive.draft(name);
            try {
                SortedMap<Integer, String> byId = writeRows(draft, rows, unpacking, schemas);
                String sha256 = Sha256.of(draft);
                CellSnapshot written = described.withRows(
                        SegmentFiles.published(described.file(), sha256), rows.size(), sha256, format, byId);
                archive.publish(draft, written.file().name(), ArchiveStore.Publication.REPLACEMENT);
                archive.write(written.manifestFile().name(), written.text(), ArchiveStore.Publication.NEW);
                return written;
            } finally {
                Files.deleteIfExists(draft);
            }
        } catch (IOException e) {
            throw archive.unwritable(name, e);
        }
    }

    /** Writes the rows; returns their schemas by their ids. */
    private static SortedMap<Integer, String> writeRows(
            Path draft,
            SortedMap<String, byte[]> rows,
            UnaryOperator<byte[]> unpacking,
            IntFunction<Optional<Schema>> schemas)
            throws IOException {
        var byId = new TreeMap<Integer, String>();
        try (var out = Files.newOutputStream(draft);
                var writer = new DataFileWriter<GenericRecord>(new GenericDatumWriter<>(SCHEMA))
                        .setCodec(CodecFactory.zstandardCodec(ZSTD_LEVEL))
                        .create(SCHEMA, out)) {
            for (var row : rows.entrySet()) {
                byte[] value = unpacking.apply(row.getValue());
                int id = ByteBuffer.wrap(value).getInt(1);
                if (!byId.containsKey(id)) {
                    schemas.apply(id).ifPresent(schema -> byId.put(id, schema.toString()));
                }
                var record = new GenericData.Record(SCHEMA);
                record.put("key", row.getKey());
                record.put("value", ByteBuffer.wrap(value));
                writer.append(record);
            }
        }
        return byId;
    }
}

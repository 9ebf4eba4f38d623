package dev.claimstream.audit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
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

    private final Path archive;

    /** @param archive the folder of the archive */
    public SnapshotFiles(Path archive) {
        this.archive = archive.toAbsolutePath().normalize();
    }

    private Path folder(int cell) {
        return archive.resolve("snapshots-" + cell);
    }

    /**
     * The snapshots of a cell in the order of their inputs.
     *
     * @throws AuditException if a manifest cannot be read
     */
    public List<CellSnapshot> of(int cell) {
        if (!Files.isDirectory(folder(cell))) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder(cell))) {
            return files.filter(each -> each.getFileName().toString().endsWith(ArchiveFolder.MANIFEST))
                    .sorted()
                    .map(each -> read(each, cell))
                    .toList();
        } catch (IOException e) {
            throw ArchiveFolder.unreadable(folder(cell), e);
        }
    }

    /** The last snapshot of a cell. */
    public Optional<CellSnapshot> last(int cell) {
        List<CellSnapshot> all = of(cell);
        return all.isEmpty() ? Optional.empty() : Optional.of(all.getLast());
    }

    /** Deletes a snapshot, its manifest first: rows without a manifest do not exist. */
    static void delete(CellSnapshot snapshot) {
        try {
            Files.deleteIfExists(snapshot.file().resolveSibling(name(snapshot) + ArchiveFolder.MANIFEST));
            Files.deleteIfExists(snapshot.file());
        } catch (IOException e) {
            throw ArchiveFolder.unwritable(snapshot.file(), e);
        }
    }

    private static String name(CellSnapshot snapshot) {
        return ArchiveFolder.name(snapshot.input());
    }

    private static CellSnapshot read(Path manifest, int cell) {
        String name = manifest.getFileName().toString();
        Path file = manifest.resolveSibling(
                name.substring(0, name.length() - ArchiveFolder.MANIFEST.length()) + ArchiveFolder.DATA);
        try {
            CellSnapshot read = CellSnapshot.of(Files.readString(manifest), manifest, file);
            if (read.cell() != cell || !name.equals(name(read) + ArchiveFolder.MANIFEST)) {
                throw new AuditException(
                        "%s describes another state: cell %d after input %d. Restore the file from a copy."
                                .formatted(manifest, read.cell(), read.input()));
            }
            return read;
        } catch (IOException e) {
            throw ArchiveFolder.unreadable(manifest, e);
        }
    }

    /**
     * Writes a snapshot. Its manifest comes last, so a killed writer leaves a snapshot or none.
     *
     * @param described the snapshot; its number of rows, hash, schemas and file are not used
     * @param rows the rows by their keys
     * @param unpacking makes the bytes that are written from a row
     * @param schemas the schema of an id
     * @throws AuditException if the files cannot be written
     */
    public CellSnapshot write(
            CellSnapshot described,
            SortedMap<String, byte[]> rows,
            UnaryOperator<byte[]> unpacking,
            IntFunction<Optional<Schema>> schemas) {
        Path folder = folder(described.cell());
        Path file = folder.resolve(ArchiveFolder.name(described.input()) + ArchiveFolder.DATA);
        Path draft = file.resolveSibling(file.getFileName() + ArchiveFolder.DRAFT);
        try {
            Files.createDirectories(folder);
            SortedMap<Integer, String> byId = writeRows(draft, rows, unpacking, schemas);
            ArchiveFolder.force(draft);
            var written = new CellSnapshot(
                    described.cell(),
                    described.input(),
                    described.at(),
                    described.ledgerHash(),
                    described.stateHash(),
                    described.ledgerOffset(),
                    described.engine(),
                    described.release(),
                    rows.size(),
                    Sha256.of(draft),
                    byId,
                    file);
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
            Path manifest = folder.resolve(ArchiveFolder.name(described.input()) + ArchiveFolder.MANIFEST);
            Path manifestDraft = manifest.resolveSibling(manifest.getFileName() + ArchiveFolder.DRAFT);
            Files.writeString(manifestDraft, written.text());
            ArchiveFolder.force(manifestDraft);
            Files.move(manifestDraft, manifest, StandardCopyOption.ATOMIC_MOVE);
            ArchiveFolder.force(folder);
            return written;
        } catch (IOException e) {
            throw ArchiveFolder.unwritable(file, e);
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

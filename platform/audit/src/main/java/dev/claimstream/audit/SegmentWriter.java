package dev.claimstream.audit;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;

/** Writes one segment: records to a draft, which {@link #seal} renames. */
final class SegmentWriter implements AutoCloseable {
    private static final int ZSTD_LEVEL = 3;
    private static final int HEADER_BYTES = 5;

    private final AuditLog source;
    private final ArchiveFolder archive;
    private final String topic;
    private final int partition;
    private final long from;
    private final Path draft;
    private final Path file;
    private final FileChannel channel;
    private final DataFileWriter<GenericRecord> writer;
    private final SortedMap<Integer, String> schemas = new TreeMap<>();
    private Optional<LogRecord> first = Optional.empty();
    private Optional<LogRecord> last = Optional.empty();
    private long count;
    private long bytes;

    SegmentWriter(AuditLog source, ArchiveFolder archive, String topic, int partition, long from) {
        this.source = source;
        this.archive = archive;
        this.topic = topic;
        this.partition = partition;
        this.from = from;
        Path folder = archive.folder(topic, partition);
        file = folder.resolve(ArchiveFolder.name(from) + ArchiveFolder.DATA);
        draft = folder.resolve(ArchiveFolder.name(from) + ArchiveFolder.DATA + ArchiveFolder.DRAFT);
        channel = open(folder, draft);
        try {
            writer = open(Channels.newOutputStream(channel));
        } catch (IOException e) {
            close();
            throw ArchiveFolder.unwritable(draft, e);
        }
    }

    private static FileChannel open(Path folder, Path draft) {
        try {
            Files.createDirectories(folder);
            return FileChannel.open(
                    draft, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
        } catch (IOException e) {
            throw ArchiveFolder.unwritable(draft, e);
        }
    }

    private static DataFileWriter<GenericRecord> open(OutputStream out) throws IOException {
        return new DataFileWriter<GenericRecord>(new GenericDatumWriter<>(SegmentFormat.SCHEMA))
                .setCodec(CodecFactory.zstandardCodec(ZSTD_LEVEL))
                .create(SegmentFormat.SCHEMA, out);
    }

    void add(LogRecord record) {
        try {
            writer.append(SegmentFormat.to(record));
        } catch (IOException e) {
            throw ArchiveFolder.unwritable(draft, e);
        }
        first = first.or(() -> Optional.of(record));
        last = Optional.of(record);
        count++;
        record.value().ifPresent(value -> {
            bytes += value.length;
            if (value.length >= HEADER_BYTES && value[0] == 0) {
                keepSchema(ByteBuffer.wrap(value).getInt(1));
            }
        });
    }

    private void keepSchema(int id) {
        if (!schemas.containsKey(id)) {
            source.schema(id).ifPresent(schema -> schemas.put(id, schema.toString()));
        }
    }

    long count() {
        return count;
    }

    /** Bytes of the values, before compression. */
    long bytes() {
        return bytes;
    }

    /**
     * Ends the segment: forces it to the disk, renames it and writes its manifest.
     *
     * @param to offset after the segment
     */
    SegmentManifest seal(long to, String release) {
        LogRecord begin = first.orElseThrow();
        LogRecord end = last.orElseThrow();
        try {
            writer.flush();
            channel.force(true);
            writer.close();
            String sha256 = Sha256.of(draft);
            long size = Files.size(draft);
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
            ArchiveFolder.force(archive.folder(topic, partition));
            Optional<LedgerEntry> before = entry(begin);
            Optional<LedgerEntry> after = entry(end);
            var manifest = new SegmentManifest(
                    topic,
                    partition,
                    from,
                    to,
                    begin.offset(),
                    end.offset(),
                    begin.timestamp(),
                    end.timestamp(),
                    count,
                    file.getFileName().toString(),
                    size,
                    sha256,
                    before.map(LedgerEntry::previousHash).orElse(""),
                    after.map(LedgerEntry::storedHash).orElse(""),
                    after.map(LedgerEntry::engine).orElse(""),
                    release,
                    archive.last(topic, partition)
                            .map(ArchiveFolder.StoredManifest::sha256)
                            .orElse(""),
                    "",
                    schemas);
            archive.seal(manifest);
            return manifest;
        } catch (IOException e) {
            throw ArchiveFolder.unwritable(file, e);
        }
    }

    private Optional<LedgerEntry> entry(LogRecord record) {
        return topic.equals(LogVerifier.LEDGER)
                        && new LedgerEntryReader(source::schema).read(record)
                                instanceof LedgerEntryReader.ReadResult.Entry(LedgerEntry entry)
                ? Optional.of(entry)
                : Optional.empty();
    }

    /** Deletes the draft of a segment that was not sealed. */
    @Override
    public void close() {
        try {
            channel.close();
            Files.deleteIfExists(draft);
        } catch (IOException e) {
            throw ArchiveFolder.unwritable(draft, e);
        }
    }
}

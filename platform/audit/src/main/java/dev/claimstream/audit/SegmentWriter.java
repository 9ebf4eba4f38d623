package dev.claimstream.audit;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericRecord;

/** Writes one segment: records to a draft, which {@link #seal} publishes. */
final class SegmentWriter implements AutoCloseable {
    private static final int HEADER_BYTES = 5;

    private final AuditLog source;
    private final SegmentFiles archive;
    private final String topic;
    private final int partition;
    private final long from;
    private final Path draft;
    private final StoredFile file;
    private final OutputStream out;
    private final DataFileWriter<GenericRecord> writer;
    private final SortedMap<Integer, String> schemas = new TreeMap<>();
    private Optional<LogRecord> first = Optional.empty();
    private Optional<LogRecord> last = Optional.empty();
    private long count;
    private long bytes;

    SegmentWriter(AuditLog source, SegmentFiles archive, String topic, int partition, long from) {
        this.source = source;
        this.archive = archive;
        this.topic = topic;
        this.partition = partition;
        this.from = from;
        file = archive.records(topic, partition, from);
        try {
            draft = archive.store().draft(file.name());
            out = Files.newOutputStream(draft);
        } catch (IOException e) {
            throw unwritable(e);
        }
        try {
            writer = SegmentFormat.writer(out);
        } catch (IOException e) {
            close();
            throw unwritable(e);
        }
    }

    private AuditException unwritable(IOException e) {
        return archive.store().unwritable(file.name(), e);
    }

    void add(LogRecord record) {
        try {
            writer.append(SegmentFormat.to(record));
        } catch (IOException e) {
            throw unwritable(e);
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
     * Ends the segment: publishes it, and then its manifest. A file that a killed writer has left is replaced.
     *
     * @param to offset after the segment
     */
    SegmentManifest seal(long to, String release) {
        LogRecord begin = first.orElseThrow();
        LogRecord end = last.orElseThrow();
        try {
            writer.close();
            String sha256 = Sha256.of(draft);
            long size = Files.size(draft);
            StoredFile published = SegmentFiles.published(file, sha256);
            archive.store().publish(draft, published.name(), ArchiveStore.Publication.REPLACEMENT);
            Optional<LedgerEntry> before = entry(begin);
            Optional<LedgerEntry> after = entry(end);
            var manifest = SegmentManifest.builder(topic, partition)
                    .from(from)
                    .to(to)
                    .firstOffset(begin.offset())
                    .lastOffset(end.offset())
                    .firstTime(begin.timestamp())
                    .lastTime(end.timestamp())
                    .count(count)
                    .file(published.fileName())
                    .bytes(size)
                    .sha256(sha256)
                    .headBefore(before.map(LedgerEntry::previousHash).orElse(""))
                    .headAfter(after.map(LedgerEntry::storedHash).orElse(""))
                    .engine(after.map(LedgerEntry::engine).orElse(""))
                    .release(release)
                    .previous(archive.last(topic, partition)
                            .map(SegmentFiles.StoredManifest::sha256)
                            .orElse(""))
                    .schemas(schemas)
                    .build();
            archive.seal(manifest);
            return manifest;
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    private Optional<LedgerEntry> entry(LogRecord record) {
        return topic.equals(LogVerifier.LEDGER)
                        && new LedgerEntryReader(source::schema).read(record)
                                instanceof LedgerEntryReader.EntryReadResult.DecodedEntry(LedgerEntry entry)
                ? Optional.of(entry)
                : Optional.empty();
    }

    /** Deletes the draft of a segment that was not sealed. */
    @Override
    public void close() {
        try {
            out.close();
            Files.deleteIfExists(draft);
        } catch (IOException e) {
            throw unwritable(e);
        }
    }
}

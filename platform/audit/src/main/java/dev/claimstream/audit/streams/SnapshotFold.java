package dev.claimstream.audit.streams;

import dev.claimstream.audit.ArchiveStore;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.CellSnapshot;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.SnapshotFiles;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.ValueCompressor;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.StateRow;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Archives the state of cells at the last snapshot event of their ledgers.
 *
 * <p>The changelog of a cell is folded up to the header that names the event, and the hash over the rows is compared with that of the event.
 * Nothing waits for this. If compaction has already removed that header, the next snapshot event is used instead. The fold holds the rows
 * of one cell in memory.
 */
public final class SnapshotFold {
    private static final String SNAPSHOT = "snapshot";
    private static final String HEADER = "header";
    private static final String ROWS = "cell-rows";

    private final AuditLog log;
    private final SnapshotFiles files;
    private final String release;
    private final Consumer<String> warnings;
    private final RecordSerde<LedgerEvent> events;
    private final RecordSerde<StateRow> headers;
    private final ValueCompressor packing = new ValueCompressor();

    /**
     * @param log topics with ledger and changelogs
     * @param archive the archive; the caller holds its lock
     * @param release version of this program
     * @param warnings receives a line about a state that cannot be archived
     */
    public SnapshotFold(AuditLog log, ArchiveStore archive, String release, Consumer<String> warnings) {
        this.log = log;
        this.files = new SnapshotFiles(archive);
        this.release = release;
        this.warnings = warnings;
        events = AvroSerde.of(LedgerEvent.class, new LogSchemas(log));
        headers = AvroSerde.of(StateRow.class, new LogSchemas(log)).withBytesMax(2 * AvroSerde.BYTES_MAX);
    }

    /**
     * Archives the state of every cell whose ledger has a snapshot event that is not archived.
     *
     * @return number of archived states
     * @throws AuditException if the log cannot be read, or the archive cannot be written
     */
    public int run() {
        int written = 0;
        for (int cell : log.partitions(LogVerifier.INPUTS)) {
            Optional<CellSnapshot> latest = lastEvent(cell);
            if (latest.isPresent() && fold(latest.get())) {
                written++;
            }
        }
        return written;
    }

    /** The last snapshot event after the last archived state. */
    private Optional<CellSnapshot> lastEvent(int cell) {
        long from = files.last(cell).map(last -> last.ledgerOffset() + 1).orElse(0L);
        var last = new LastEvent();
        log.forEach(
                LogVerifier.LEDGER,
                cell,
                Math.max(from, log.begin(LogVerifier.LEDGER, cell)),
                log.end(LogVerifier.LEDGER, cell),
                record -> {
                    LedgerEvent event = decoded(record);
                    if (event.getEvent().equals(SNAPSHOT)) {
                        last.found = described(record, event);
                    } else if (event.getEvent().equals("rebuild")) {
                        last.found = null; // the changelog has no earlier state any more
                    }
                    return true;
                });
        return Optional.ofNullable(last.found);
    }

    private static final class LastEvent {
        private @Nullable CellSnapshot found;
    }

    private LedgerEvent decoded(LogRecord record) {
        return switch (events.read(record.topic(), record.value().orElse(null))) {
            case DecodeResult.Value<LedgerEvent>(LedgerEvent event) -> event;
            case DecodeResult.Tombstone<LedgerEvent> _ -> throw RecordedEvents.unreadable(record, "it has no value");
            case DecodeResult.Failure<LedgerEvent> failure ->
                throw RecordedEvents.unreadable(record, failure.message());
        };
    }

    private CellSnapshot described(LogRecord record, LedgerEvent event) {
        return files.describe(
                event.getCell(),
                event.getOffset(),
                event.getAt(),
                hex(event.getHash()),
                event.getStateHash().map(SnapshotFold::hex).orElse(""),
                record.offset(),
                event.getEngine(),
                release);
    }

    /** Folds the changelog up to the header with the hash of the event, and writes the rows if they have the hash of the state. */
    private boolean fold(CellSnapshot expected) {
        var rows = new TreeMap<String, byte[]>();
        var hash = new RowsHash();
        var end = new FoldEnd();
        log.forEach(
                Topics.CELL_CHANGELOG,
                expected.cell(),
                log.begin(Topics.CELL_CHANGELOG, expected.cell()),
                log.end(Topics.CELL_CHANGELOG, expected.cell()),
                record -> {
                    String key = record.key()
                            .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                            .orElse("");
                    if (key.equals(HEADER)) {
                        record.value().map(value -> header(record, value)).ifPresent(row -> end.read(row, expected));
                    } else {
                        replace(rows, hash, key, record);
                    }
                    return !end.isReached;
                });
        if (!end.isReached) {
            return false; // compacted: the next snapshot event comes
        }
        if (!hex(hash.value()).equals(expected.stateHash())) {
            if (end.isLater) {
                return false; // compacted: a later header has the same ledger hash
            }
            warnings.accept(
                    "%s, partition %d: the rows do not have the hash of the snapshot event of input %d. The state is not archived; the next one is tried. If this repeats, verify the ledger and rebuild the cell."
                            .formatted(Topics.CELL_CHANGELOG, expected.cell(), expected.input()));
            return false;
        }
        var unused = files.write(expected, end.format, rows, packing::decompress, log::schema);
        return true;
    }

    private static final class FoldEnd {
        private boolean isReached;

        /** Number of the format of the rows. */
        private int format;

        /** Whether the header was written after a later input, which had no ledger event. */
        private boolean isLater;

        void read(StateRow row, CellSnapshot expected) {
            isReached = row.getLedgerHash().map(SnapshotFold::hex).orElse("").equals(expected.ledgerHash());
            row.getHeader().ifPresent(header -> format = header.getFormat());
            isLater = row.getHeader()
                    .filter(header -> header.getLastIgnoredOffset() > expected.input())
                    .isPresent();
        }
    }

    private void replace(Map<String, byte[]> rows, RowsHash hash, String key, LogRecord record) {
        byte[] before = rows.remove(key);
        if (before != null) {
            hash.remove(key, packing.decompress(before));
        }
        record.value().ifPresent(value -> {
            hash.add(key, unpacked(record, value));
            rows.put(key, value); // compressed: the fold holds all rows
        });
    }

    private byte[] unpacked(LogRecord record, byte[] value) {
        try {
            return packing.decompress(value);
        } catch (IllegalArgumentException e) {
            throw new AuditException("%s cannot be read: %s".formatted(record.position(), e.getMessage()), e);
        }
    }

    private StateRow header(LogRecord record, byte[] value) {
        return switch (headers.read(ROWS, value)) {
            case DecodeResult.Value<StateRow>(StateRow row) -> row;
            case DecodeResult.Tombstone<StateRow> _ -> throw unreadable(record, "it has no value");
            case DecodeResult.Failure<StateRow> failure -> throw unreadable(record, failure.message());
        };
    }

    private static AuditException unreadable(LogRecord record, String reason) {
        return new AuditException("%s cannot be read: %s. Use the release that wrote it, or a later one."
                .formatted(record.position(), reason));
    }

    private static String hex(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return HexFormat.of().formatHex(copy);
    }
}

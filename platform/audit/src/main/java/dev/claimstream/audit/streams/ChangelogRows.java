package dev.claimstream.audit.streams;

import dev.claimstream.allocation.cell.CellIdentity;
import dev.claimstream.allocation.cell.Row;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.dra.Selectors;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.ValueCompressor;
import dev.claimstream.schemas.StateHeaderRecord;
import dev.claimstream.schemas.StateRow;
import dev.claimstream.wire.StateRowCodec;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The state of a cell from the changelog in which the allocator stores its rows.
 *
 * <p>The last record of each row counts. Rows, outputs and input offset commit in one transaction, so the rows up to the
 * last committed record are one state. Not safe for several threads.
 */
final class ChangelogRows {
    private static final String HEADER_KEY = "header";
    private static final String SUBJECT = "cell-rows";

    private final AuditLog log;
    private final int partition;
    private final RecordSerde<StateRow> serde;
    private final ValueCompressor compressor = new ValueCompressor();
    private final SortedMap<String, byte[]> values = new TreeMap<>();
    private Instant last = Instant.EPOCH;

    private ChangelogRows(AuditLog log, int partition) {
        this.log = log;
        this.partition = partition;
        serde = AvroSerde.of(StateRow.class, new LogSchemas(log)).withBytesMax(2 * AvroSerde.BYTES_MAX);
    }

    /**
     * A state and its last input.
     *
     * @param offset offset of the last input: an applied one, or a rebuild, which leaves no row
     * @param at time of the last record, which is that of the input
     */
    record StateAtEnd(State state, long offset, Instant at) {}

    /**
     * Reads the state at the end of the log. Empty if the log has no changelog, or rows in another format.
     *
     * @throws AuditException if a row cannot be read
     */
    static Optional<StateAtEnd> read(AuditLog log, Selectors selectors, CellIdentity identity) {
        if (!log.partitions(Topics.CELL_CHANGELOG).contains(identity.index())) {
            return Optional.empty();
        }
        var rows = new ChangelogRows(log, identity.index());
        rows.readValues();
        return rows.state(selectors, identity);
    }

    /** Reads to the end, repeatedly: compaction may delete a record if a later one of its row exists. */
    private void readValues() {
        long next = log.begin(Topics.CELL_CHANGELOG, partition);
        long end = log.end(Topics.CELL_CHANGELOG, partition);
        while (next < end) {
            log.forEach(Topics.CELL_CHANGELOG, partition, next, end, record -> {
                String key = new String(record.key().orElseThrow(), StandardCharsets.UTF_8);
                record.value().ifPresentOrElse(value -> values.put(key, value), () -> values.remove(key));
                last = record.timestamp().isAfter(last) ? record.timestamp() : last;
                return true;
            });
            next = end;
            end = log.end(Topics.CELL_CHANGELOG, partition);
        }
    }

    private Optional<StateAtEnd> state(Selectors selectors, CellIdentity identity) {
        Optional<StateHeaderRecord> header = Optional.ofNullable(values.remove(HEADER_KEY))
                .flatMap(value -> row(HEADER_KEY, value).getHeader())
                .filter(each -> each.getFormat() == StateRowCodec.FORMAT);
        if (header.isEmpty()) {
            return Optional.empty();
        }
        List<Row> rows = new ArrayList<>();
        values.forEach((key, value) -> rows.add(StateRowCodec.from(row(key, value))));
        State state = State.of(selectors, identity, rows);
        state.restoreIndexes();
        long offset = Math.max(state.count().offset(), header.get().getLastIgnoredOffset());
        return Optional.of(new StateAtEnd(state, offset, last));
    }

    private StateRow row(String key, byte[] value) {
        return switch (serde.read(SUBJECT, compressor.decompress(value))) {
            case DecodeResult.Value<StateRow>(StateRow row) -> row;
            case DecodeResult.Tombstone<StateRow> _ -> throw unreadable(key, "it has no value");
            case DecodeResult.Failure<StateRow> failure -> throw unreadable(key, failure.message());
        };
    }

    private AuditException unreadable(String key, String reason) {
        return new AuditException(
                "row %s of %s, partition %d, cannot be read: %s. Use the release that wrote it, or a later one."
                        .formatted(key, Topics.CELL_CHANGELOG, partition, reason));
    }
}

package dev.claimstream.audit.streams;

import dev.claimstream.allocation.cell.CellIdentity;
import dev.claimstream.allocation.cell.Row;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.CellSnapshot;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.dra.Selectors;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.schemas.StateRow;
import dev.claimstream.wire.StateRowCodec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The first input of a replay, and the state before it.
 *
 * @param offset offset of the first input
 * @param state state before this input
 * @param snapshot the archived state from which the replay begins; empty if it begins with an empty state
 */
record ReplayStart(long offset, State state, Optional<CellSnapshot> snapshot) {
    private static final String ROWS = "cell-rows";

    /** The time of the input before this one; empty if it is not known. */
    Optional<Instant> at() {
        return snapshot.map(CellSnapshot::at);
    }

    /**
     * Finds the newest known state at or before a time: an archived state, a rebuild, or the beginning of the inputs.
     *
     * @param time empty for the earliest known state
     * @throws AuditException if no state is known at that time
     */
    static ReplayStart of(
            AuditLog log, InputDecoder decoder, Selectors selectors, CellIdentity identity, Optional<Instant> time) {
        Optional<CellSnapshot> snapshot = time.flatMap(each -> log.snapshot(identity.index(), each))
                .filter(each -> each.input() + 1 >= log.begin(LogVerifier.INPUTS, identity.index()));
        if (snapshot.isPresent()) {
            return of(log, selectors, identity, snapshot.get());
        }
        return new ReplayStart(
                firstInput(log, decoder, identity.index()), new State(selectors, identity), Optional.empty());
    }

    private static ReplayStart of(AuditLog log, Selectors selectors, CellIdentity identity, CellSnapshot snapshot) {
        snapshot.format().ifPresent(format -> checkFormat(snapshot, format));
        RecordSerde<StateRow> serde =
                AvroSerde.of(StateRow.class, new LogSchemas(log)).withBytesMax(2 * AvroSerde.BYTES_MAX);
        List<Row> rows = new ArrayList<>();
        var hash = new RowsHash();
        snapshot.forEachRow((key, value) -> {
            rows.add(row(serde, snapshot, key, value));
            hash.add(key, value);
        });
        if (!HexFormat.of().formatHex(hash.value().array()).equals(snapshot.stateHash())) {
            throw new AuditException(
                    "%s: the rows do not have the state hash of their manifest. Restore both files from a copy, or delete both."
                            .formatted(snapshot.file()));
        }
        State state = State.of(selectors, identity, rows);
        state.restoreIndexes();
        return new ReplayStart(snapshot.input() + 1, state, Optional.of(snapshot));
    }

    /** Rows of another format would be read as other rows. */
    private static void checkFormat(CellSnapshot snapshot, int format) {
        if (format != StateRowCodec.FORMAT) {
            throw new AuditException(
                    "%s has rows of format %d, and this release reads format %d. Replay with the release that archived it (%s), or from the first input: without --from."
                            .formatted(snapshot.file(), format, StateRowCodec.FORMAT, snapshot.release()));
        }
    }

    private static Row row(RecordSerde<StateRow> serde, CellSnapshot snapshot, String key, byte[] value) {
        return switch (serde.read(ROWS, value)) {
            case DecodeResult.Value<StateRow>(StateRow row) -> StateRowCodec.from(row);
            case DecodeResult.Tombstone<StateRow> _ ->
                throw new AuditException("%s: row %s has no value".formatted(snapshot.file(), key));
            case DecodeResult.Failure<StateRow> failure ->
                throw new AuditException("%s: row %s cannot be read: %s. Use the release that wrote it, or a later one."
                        .formatted(snapshot.file(), key, failure.message()));
        };
    }

    /** The beginning of the topic, or the first rebuild if earlier inputs are deleted. */
    private static long firstInput(AuditLog log, InputDecoder decoder, int cell) {
        long begin = log.begin(LogVerifier.INPUTS, cell);
        if (begin == 0) {
            return begin;
        }
        List<Long> rebuild = new ArrayList<>();
        log.forEach(LogVerifier.INPUTS, cell, begin, log.end(LogVerifier.INPUTS, cell), record -> {
            if (decoder.decode(record).getRebuild().isPresent()) {
                rebuild.add(record.offset());
            }
            return rebuild.isEmpty();
        });
        return rebuild.stream()
                .findFirst()
                .orElseThrow(() -> new AuditException(
                        "%s, partition %d, begins at offset %d and has no rebuild after it: the state is known only from the first input or an archived state on. Name an archive that has one of them with --archive, and a time after it."
                                .formatted(LogVerifier.INPUTS, cell, begin)));
    }
}

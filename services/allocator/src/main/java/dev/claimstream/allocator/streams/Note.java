package dev.claimstream.allocator.streams;

import dev.claimstream.schemas.CellNote;
import dev.claimstream.schemas.StateRow;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The header of a cell's state. It is stored among the rows, so that it commits with them.
 *
 * @param format version of the row format
 * @param engine fingerprint of the engine that wrote the state last
 * @param log id of the topic whose inputs were applied
 * @param passed offset of the last input without meaning for the cell; -1 for none
 * @param ledgerHash hash of the last ledger event
 */
record Note(int format, String engine, String log, long passed, ByteBuffer ledgerHash) {
    /** The format that this program writes. Since format 2, long rows are compressed. */
    static final int FORMAT = 2;

    /** The oldest format that this program can read. */
    static final int FORMAT_OLDEST = 1;

    /** The header of an empty state. */
    static Note fresh(String engine, String log) {
        return new Note(FORMAT, engine, log, -1, ByteBuffer.allocate(0));
    }

    /** Decodes a header. A row without a header is older than the first format and gets format 0. */
    static Note from(StateRow row) {
        Optional<CellNote> note = row.getNote();
        return new Note(
                note.map(CellNote::getFormat).orElse(0),
                note.map(CellNote::getEngine).orElse(""),
                note.map(CellNote::getLog).orElse(""),
                note.map(CellNote::getPassed).orElse(-1L),
                row.getLedgerHash().orElseGet(() -> ByteBuffer.allocate(0)));
    }

    StateRow row() {
        return StateRow.newBuilder()
                .setLedgerHash(ledgerHash)
                .setNote(new CellNote(format, engine, log, passed))
                .build();
    }

    /** The header after this engine takes over: it writes the current format. */
    Note by(String otherEngine) {
        return new Note(FORMAT, otherEngine, log, passed, ledgerHash);
    }

    Note withLog(String otherLog) {
        return new Note(format, engine, otherLog, passed, ledgerHash);
    }

    Note withLedger(ByteBuffer hash) {
        return new Note(format, engine, log, passed, hash);
    }

    Note past(long offset) {
        return new Note(format, engine, log, offset, ledgerHash);
    }
}

package dev.claimstream.allocator.streams;

import dev.claimstream.schemas.CellNote;
import dev.claimstream.schemas.StateRow;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * What the state of a cell says about itself. It is kept among the rows, so that it commits with them.
 *
 * @param format the form of the rows
 * @param engine hash of what computed them last
 * @param log id of the topic whose inputs they have applied
 * @param passed offset of the last input that meant nothing to the cell, -1 for none
 * @param ledgerHash where the chain of the ledger stands
 */
record Note(int format, String engine, String log, long passed, ByteBuffer ledgerHash) {
    /** The form of the rows that this program writes: since 2 long ones are packed. */
    static final int FORMAT = 2;

    /** The oldest form that it reads as well. */
    static final int FORMAT_OLDEST = 1;

    /** A state with nothing in it yet. */
    static Note fresh(String engine, String log) {
        return new Note(FORMAT, engine, log, -1, ByteBuffer.allocate(0));
    }

    /** A row that says nothing about itself was written before there was a format. */
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

    /** What goes on is written in this program's form, by this engine. */
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

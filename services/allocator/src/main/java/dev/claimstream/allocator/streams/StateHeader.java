package dev.claimstream.allocator.streams;

import dev.claimstream.schemas.StateHeaderRecord;
import dev.claimstream.schemas.StateRow;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The header of a cell's state. It is stored among the rows, so that it commits with them.
 *
 * @param format version of the row format
 * @param engine fingerprint of the engine that wrote the state last
 * @param log id of the topic whose inputs were applied
 * @param lastIgnoredOffset offset of the last input without meaning for the cell; -1 for none
 * @param ledgerHash hash of the last ledger event
 */
record StateHeader(int format, String engine, String log, long lastIgnoredOffset, ByteBuffer ledgerHash) {
    /** The header of an empty state. */
    static StateHeader initial(StateFormat format, String engine, String log) {
        return new StateHeader(format.written(), engine, log, -1, ByteBuffer.allocate(0));
    }

    /** Decodes a header. Rows without a header are of a format before 4, which had another key for it, and get format 0. */
    static StateHeader from(StateRow row) {
        Optional<StateHeaderRecord> note = row.getHeader();
        return new StateHeader(
                note.map(StateHeaderRecord::getFormat).orElse(0),
                note.map(StateHeaderRecord::getEngine).orElse(""),
                note.map(StateHeaderRecord::getInputTopicId).orElse(""),
                note.map(StateHeaderRecord::getLastIgnoredOffset).orElse(-1L),
                row.getLedgerHash().orElseGet(() -> ByteBuffer.allocate(0)));
    }

    StateRow row() {
        return StateRow.newBuilder()
                .setLedgerHash(ledgerHash)
                .setHeader(new StateHeaderRecord(format, engine, log, lastIgnoredOffset))
                .build();
    }

    /** The header after this engine takes over, which writes a format. */
    StateHeader withEngine(String otherEngine, StateFormat otherFormat) {
        return new StateHeader(otherFormat.written(), otherEngine, log, lastIgnoredOffset, ledgerHash);
    }

    StateHeader withLog(String otherLog) {
        return new StateHeader(format, engine, otherLog, lastIgnoredOffset, ledgerHash);
    }

    StateHeader withLedger(ByteBuffer hash) {
        return new StateHeader(format, engine, log, lastIgnoredOffset, hash);
    }

    StateHeader withIgnored(long offset) {
        return new StateHeader(format, engine, log, offset, ledgerHash);
    }
}

package dev.claimstream.history.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.claimstream.history.FoldChanges.RowKind;
import dev.claimstream.history.HistoryFold;
import dev.claimstream.history.store.HistoryException.HistoryProblem;

/** Rows of the fold's state as JSON. */
final class RowCodec {
    private static final ObjectMapper JSON = new ObjectMapper();

    private RowCodec() {}

    static String text(Object row) {
        try {
            return JSON.writeValueAsString(row);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a row cannot be written: " + row, e);
        }
    }

    static Object row(String kind, String text) {
        try {
            return JSON.readValue(text, HistoryFold.rowType(RowKind.valueOf(kind)));
        } catch (JsonProcessingException | IllegalArgumentException e) {
            throw new HistoryException(
                    HistoryProblem.STORE_FAILED,
                    "a row of the history cannot be read: %s. Delete the file of the history; it is built again from the log."
                            .formatted(e.getMessage()),
                    e);
        }
    }
}

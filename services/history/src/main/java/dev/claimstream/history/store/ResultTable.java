package dev.claimstream.history.store;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The answer to a question, as a table.
 *
 * @param columns names of the columns
 * @param rows cells: {@code String}, {@code Long}, {@code Double}, {@code Boolean} or {@code Instant}; empty for no value
 * @param notes sentences about the answer, for people
 */
public record ResultTable(List<String> columns, List<List<Optional<Object>>> rows, List<String> notes) {
    public ResultTable {
        columns = List.copyOf(columns);
        rows = List.copyOf(rows);
        notes = List.copyOf(notes);
    }

    /** The same table with one more note. */
    public ResultTable withNote(String note) {
        return new ResultTable(
                columns, rows, Stream.concat(notes.stream(), Stream.of(note)).toList());
    }
}

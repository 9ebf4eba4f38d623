package dev.claimstream.cli.output;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Formats rows in aligned columns without cutting text.
 * If lines are wider than the terminal, cells move to indented lines below their row, with the title of their column.
 */
public final class TextTable {
    private final List<String> titles;
    private final List<List<String>> rows = new ArrayList<>();

    public TextTable(String... titles) {
        this.titles = List.of(titles);
    }

    public void add(String... cells) {
        if (cells.length != titles.size()) {
            throw new IllegalArgumentException("%d cells for %d columns".formatted(cells.length, titles.size()));
        }
        rows.add(List.of(cells));
    }

    /**
     * Returns the table.
     *
     * @param width of the terminal; empty for unlimited width, as in a pipe
     */
    public String text(OptionalInt width) {
        var columns = new GrowingColumns(titles, width);
        rows.forEach(columns::grow);
        var text = new StringBuilder(columns.titleLine()).append('\n');
        rows.forEach(row -> text.append(columns.row(row)).append('\n'));
        return text.toString();
    }
}

package dev.claimstream.cli.output;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;

/** Aligns lines that are printed one by one. Each column is as wide as its widest cell so far. */
public final class GrowingColumns {
    private final List<String> titles;
    private final List<Integer> widths;
    private final OptionalInt terminal;

    /**
     * Creates columns.
     *
     * @param titles an empty title stands for a column without title
     * @param terminal width of the terminal; empty for unlimited width, as in a pipe
     */
    public GrowingColumns(List<String> titles, OptionalInt terminal) {
        this.titles = List.copyOf(titles);
        this.widths = new ArrayList<>(Collections.nCopies(titles.size(), 0));
        this.terminal = terminal;
        grow(titles);
    }

    /** Makes the columns as wide as these cells require. */
    public void grow(List<String> cells) {
        for (int i = 0; i < cells.size(); i++) {
            widths.set(i, Math.max(widths.get(i), ColumnLayout.width(cells.get(i))));
        }
    }

    public String titleLine() {
        return layout().titleLine();
    }

    /** Returns a row, of several lines if the terminal is too narrow. */
    public String row(List<String> cells) {
        grow(cells);
        return layout().row(cells);
    }

    private ColumnLayout layout() {
        return new ColumnLayout(titles, widths, terminal);
    }
}

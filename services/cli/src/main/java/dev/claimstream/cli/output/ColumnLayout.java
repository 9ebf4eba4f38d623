package dev.claimstream.cli.output;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * The columns of a table that fit in a line of the terminal. The cells of the others follow in indented lines, each with
 * the title of its column.
 *
 * @param titles an empty title stands for a column without title
 * @param widths of the columns in characters
 * @param terminal width of the terminal; empty for unlimited width, as in a pipe
 */
record ColumnLayout(List<String> titles, List<Integer> widths, OptionalInt terminal) {
    private static final String GAP = "  ";
    private static final String INDENT = "    ";
    private static final String EMPTY_CELL = "-";

    ColumnLayout {
        titles = List.copyOf(titles);
        widths = List.copyOf(widths);
    }

    /** Returns the titles of the columns that fit in a line. */
    String titleLine() {
        return inLine(titles, columnsInLine());
    }

    /** Returns a row: one line, or one line and the indented lines with the cells of the other columns. */
    String row(List<String> cells) {
        List<Integer> columns = columnsInLine();
        var text = new StringBuilder(inLine(cells, columns));
        List<String> others = new ArrayList<>();
        for (int column = 0; column < cells.size(); column++) {
            if (!columns.contains(column) && !cells.get(column).equals(EMPTY_CELL)) {
                others.add(labelled(column, cells.get(column)));
            }
        }
        below(others).forEach(line -> text.append('\n').append(line));
        return text.toString();
    }

    /** Returns the columns that fit, in order. The first column is always among them. */
    private List<Integer> columnsInLine() {
        List<Integer> columns = new ArrayList<>();
        int sum = 0;
        for (int column = 0; column < widths.size(); column++) {
            int more = widths.get(column) + (column == 0 ? 0 : GAP.length());
            if (column == 0 || terminal.isEmpty() || sum + more <= terminal.getAsInt()) {
                columns.add(column);
                sum += more;
            }
        }
        return columns;
    }

    private String inLine(List<String> cells, List<Integer> columns) {
        var line = new StringBuilder();
        for (int column : columns) {
            String cell = cells.get(column);
            line.append(column == 0 ? "" : GAP).append(cell);
            line.append(" ".repeat(Math.max(0, widths.get(column) - width(cell))));
        }
        return line.toString().stripTrailing();
    }

    private String labelled(int column, String cell) {
        return titles.get(column).isEmpty() ? cell : titles.get(column) + ": " + cell;
    }

    /** Returns the indented lines of the cells, as many cells in a line as fit. */
    private List<String> below(List<String> cells) {
        List<String> lines = new ArrayList<>();
        String line = "";
        for (String cell : cells) {
            String longer = line.isEmpty() ? INDENT + cell : line + GAP + cell;
            if (!line.isEmpty() && width(longer) > terminal.orElse(Integer.MAX_VALUE)) {
                lines.add(line);
                longer = INDENT + cell;
            }
            line = longer;
        }
        if (!line.isEmpty()) {
            lines.add(line);
        }
        return lines.stream()
                .flatMap(each -> FoldedText.of(each, terminal).lines())
                .toList();
    }

    /** Returns the width of a text in characters. */
    static int width(String text) {
        return text.codePointCount(0, text.length());
    }
}

package dev.claimstream.cli.output;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Formats rows in aligned columns without cutting text.
 * If lines are wider than the terminal, the last columns move to indented lines below their row.
 */
public final class TextTable {
    private static final String GAP = "  ";
    private static final String INDENT = "    ";

    private final List<List<String>> lines = new ArrayList<>();

    public TextTable(String... titles) {
        lines.add(List.of(titles));
    }

    public void add(String... cells) {
        if (cells.length != lines.getFirst().size()) {
            throw new IllegalArgumentException("%d cells for %d columns"
                    .formatted(cells.length, lines.getFirst().size()));
        }
        lines.add(List.of(cells));
    }

    /**
     * Returns the table.
     *
     * @param width of the terminal; empty for unlimited width, as in a pipe
     */
    public String text(OptionalInt width) {
        int columns = lines.getFirst().size();
        int inLine = columns;
        while (width.isPresent() && inLine > 1 && widest(inLine) > width.getAsInt()) {
            inLine--;
        }
        var text = new StringBuilder();
        for (int i = 0; i < lines.size(); i++) {
            if (inLine == columns || i > 0) {
                append(text, lines.get(i), inLine);
            } else {
                append(text, lines.get(i).subList(0, inLine), inLine);
            }
        }
        return text.toString();
    }

    private int widest(int inLine) {
        int sum = GAP.length() * (inLine - 1);
        for (int column = 0; column < inLine; column++) {
            sum += width(column);
        }
        return sum;
    }

    private int width(int column) {
        return lines.stream()
                .mapToInt(line ->
                        line.get(column).codePointCount(0, line.get(column).length()))
                .max()
                .orElse(0);
    }

    private void append(StringBuilder text, List<String> line, int inLine) {
        var first = new StringBuilder();
        for (int column = 0; column < inLine; column++) {
            String cell = line.get(column);
            first.append(column == 0 ? "" : GAP).append(cell);
            first.append(" ".repeat(Math.max(0, width(column) - cell.codePointCount(0, cell.length()))));
        }
        text.append(first.toString().stripTrailing()).append('\n');
        for (int column = inLine; column < line.size(); column++) {
            if (!line.get(column).equals("-")) {
                text.append(INDENT).append(line.get(column)).append('\n');
            }
        }
    }
}

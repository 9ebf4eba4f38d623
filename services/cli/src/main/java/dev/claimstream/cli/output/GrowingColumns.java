package dev.claimstream.cli.output;

import java.util.ArrayList;
import java.util.List;

/** Aligns lines that are printed one by one. Each column is as wide as its widest cell so far. */
public final class GrowingColumns {
    private final List<Integer> widths = new ArrayList<>();

    public String line(List<String> cells) {
        var line = new StringBuilder();
        for (int i = 0; i < cells.size(); i++) {
            String cell = cells.get(i);
            if (i == widths.size()) {
                widths.add(0);
            }
            widths.set(i, Math.max(widths.get(i), cell.length()));
            line.append(cell).append(" ".repeat(widths.get(i) - cell.length() + 2));
        }
        return line.toString().stripTrailing();
    }
}

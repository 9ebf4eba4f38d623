package dev.claimstream.load;

import java.util.List;
import java.util.Locale;

/** Draws a chart of stacked bars as SVG. */
public final class BarPicture {
    private static final int WIDTH = 900;
    private static final int LEFT = 260;
    private static final int RIGHT = 80;
    private static final int TOP = 70;
    private static final int STEP = 34;
    private static final int THICK = 20;
    private static final int BOTTOM = 40;

    private final Drawing drawing;
    private final double most;

    private BarPicture(int bars, double most) {
        this.drawing = new Drawing(WIDTH, TOP + STEP * bars + BOTTOM);
        this.most = most;
    }

    /** One bar with a value for each part. */
    public record Bar(String name, List<Double> values) {
        public Bar {
            values = List.copyOf(values);
        }

        private double sum() {
            return values.stream().mapToDouble(Double::doubleValue).sum();
        }
    }

    /**
     * Draws the bars below each other.
     *
     * @param parts the names of the parts
     */
    public static String of(String title, String unit, List<String> parts, List<Bar> bars) {
        double most = bars.stream().mapToDouble(Bar::sum).max().orElse(0);
        var picture = new BarPicture(bars.size(), Math.max(most, 1e-9));
        picture.legend(title, parts);
        for (int i = 0; i < bars.size(); i++) {
            picture.bar(bars.get(i), unit, TOP + STEP * i);
        }
        return picture.drawing.finished();
    }

    private void legend(String title, List<String> parts) {
        drawing.text(20, 25, "start", title);
        for (int i = 0; i < parts.size(); i++) {
            drawing.rectangle(LEFT + 160.0 * i, 42, 12, 12, Drawing.colour(i));
            drawing.text(LEFT + 160.0 * i + 18, 53, "start", parts.get(i));
        }
    }

    private void bar(Bar bar, String unit, int y) {
        double x = LEFT;
        for (int i = 0; i < bar.values().size(); i++) {
            double width = bar.values().get(i) / most * (WIDTH - LEFT - RIGHT);
            drawing.rectangle(x, y, width, THICK, Drawing.colour(i));
            x += width;
        }
        drawing.text(LEFT - 10.0, y + 15.0, "end", bar.name());
        drawing.text(x + 6, y + 15.0, "start", String.format(Locale.ROOT, "%.1f %s", bar.sum(), unit));
    }
}

package dev.claimstream.load;

import java.util.List;
import java.util.Locale;
import java.util.function.DoubleUnaryOperator;

/** Draws latency over percentiles, both on logarithmic scales, as SVG. */
final class LatencyPicture {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 520;
    private static final int LEFT = 80;
    private static final int RIGHT = 160;
    private static final int TOP = 40;
    private static final int BOTTOM = 60;
    private static final double NINES = 4;
    private static final double[] PERCENTILES = {0, 50, 90, 99, 99.9, 99.99};

    private final Drawing drawing = new Drawing(WIDTH, HEIGHT);
    private final double msMin;
    private final double msMax;

    private LatencyPicture(double msMin, double msMax) {
        this.msMin = msMin;
        this.msMax = msMax;
    }

    /**
     * One curve.
     *
     * @param count number of measured values
     * @param msAt returns a percentile in milliseconds
     */
    record LatencyCurve(String name, long count, DoubleUnaryOperator msAt) {}

    /** Draws the curves, with a minimum latency. */
    static String of(String title, double msMin, List<LatencyCurve> lines) {
        double most = lines.stream()
                .mapToDouble(line -> line.msAt().applyAsDouble(100))
                .max()
                .orElse(10);
        var picture = new LatencyPicture(msMin, Math.pow(10, Math.ceil(Math.log10(Math.max(4 * msMin, most)))));
        picture.frame(title);
        for (int i = 0; i < lines.size(); i++) {
            picture.line(lines.get(i), i);
        }
        return picture.drawing.finished();
    }

    private void frame(String title) {
        drawing.text(LEFT, TOP - 15.0, "start", title);
        for (double percentile : PERCENTILES) {
            drawing.grid(x(percentile), TOP, x(percentile), HEIGHT - BOTTOM);
            String name = percentile == 0 ? "0" : "p" + Drawing.trimmed(percentile);
            drawing.text(x(percentile), HEIGHT - BOTTOM + 20.0, "middle", name);
        }
        for (int power = (int) Math.ceil(Math.log10(msMin)); power <= Math.round(Math.log10(msMax)); power++) {
            double ms = power < 0 ? 1 / Math.pow(10, -power) : Math.pow(10, power);
            drawing.grid(LEFT, y(ms), WIDTH - RIGHT, y(ms));
            drawing.text(LEFT - 8.0, y(ms) + 4, "end", Drawing.trimmed(ms) + " ms");
        }
        double middle = (LEFT + WIDTH - RIGHT) / 2.0;
        drawing.text(middle, HEIGHT - 15.0, "middle", "share of claims that were decided within this time");
    }

    private void line(LatencyCurve line, int number) {
        var points = new StringBuilder();
        double nines = Math.min(NINES, Math.log10((double) Math.max(2, line.count())));
        for (double tail = 0; tail <= nines; tail += 0.05) {
            double percentile = 100 - 100 / Math.pow(10, tail);
            double ms = line.msAt().applyAsDouble(percentile);
            points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(percentile), y(ms)));
        }
        drawing.line(points.toString(), Drawing.colour(number));
        double y = TOP + 20.0 * number;
        drawing.rectangle(WIDTH - RIGHT + 15.0, y, 14, 4, Drawing.colour(number));
        drawing.text(WIDTH - RIGHT + 35.0, y + 6, "start", line.name());
    }

    /** Returns the x coordinate: each additional nine has the same width, up to the fourth. */
    private static double x(double percentile) {
        double nines = Math.min(NINES, -Math.log10(1 - Math.min(percentile, 99.999999) / 100));
        return LEFT + nines / NINES * (WIDTH - LEFT - RIGHT);
    }

    private double y(double ms) {
        double share = Math.log10(Math.max(ms, msMin) / msMin) / Math.log10(msMax / msMin);
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
    }
}

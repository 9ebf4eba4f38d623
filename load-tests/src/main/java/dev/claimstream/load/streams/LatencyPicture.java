package dev.claimstream.load.streams;

import java.util.List;
import java.util.Locale;

/** Draws latency over the share of claims that had at least so much of it, both logarithmic, as SVG. */
public final class LatencyPicture {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 520;
    private static final int LEFT = 80;
    private static final int RIGHT = 160;
    private static final int TOP = 40;
    private static final int BOTTOM = 60;
    private static final double NINES = 4;
    private static final double[] PERCENTILES = {0, 50, 90, 99, 99.9, 99.99};
    private static final String[] COLOURS = {"#1b6ca8", "#d1495b", "#3c887e", "#edae49", "#66488c", "#555555"};

    private final StringBuilder svg = new StringBuilder();
    private final double msMin;
    private final double msMax;

    private LatencyPicture(double msMin, double msMax) {
        this.msMin = msMin;
        this.msMax = msMax;
    }

    /** One line per round. */
    public static String of(String title, List<Round> rounds) {
        double most = rounds.stream()
                .mapToDouble(round -> round.latencies().dueMs(100))
                .max()
                .orElse(10);
        var picture = new LatencyPicture(0.5, Math.pow(10, Math.ceil(Math.log10(Math.max(2, most)))));
        picture.frame(title);
        for (int i = 0; i < rounds.size(); i++) {
            picture.line(rounds.get(i), i);
        }
        return picture.svg.append("</svg>\n").toString();
    }

    private void frame(String title) {
        svg.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\">%n",
                WIDTH,
                HEIGHT));
        svg.append(String.format(Locale.ROOT, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n"));
        text(LEFT, TOP - 15, "start", title);
        for (double percentile : PERCENTILES) {
            grid(x(percentile), TOP, x(percentile), HEIGHT - BOTTOM);
            text(x(percentile), HEIGHT - BOTTOM + 20, "middle", percentile == 0 ? "0" : "p" + trimmed(percentile));
        }
        for (double ms = 1; ms <= msMax; ms *= 10) {
            grid(LEFT, y(ms), WIDTH - RIGHT, y(ms));
            text(LEFT - 8, y(ms) + 4, "end", trimmed(ms) + " ms");
        }
        text(
                (LEFT + WIDTH - RIGHT) / 2.0,
                HEIGHT - 15,
                "middle",
                "share of claims that were answered within this time");
    }

    private void line(Round round, int number) {
        String colour = COLOURS[number % COLOURS.length];
        svg.append("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"")
                .append(colour)
                .append("\" points=\"");
        double nines = Math.min(
                NINES, Math.log10((double) Math.max(2, round.latencies().count())));
        for (double tail = 0; tail <= nines; tail += 0.05) {
            double percentile = 100 - 100 / Math.pow(10, tail);
            svg.append(String.format(
                    Locale.ROOT,
                    "%.1f,%.1f ",
                    x(percentile),
                    y(round.latencies().dueMs(percentile))));
        }
        svg.append("\"/>\n");
        svg.append(String.format(
                Locale.ROOT,
                "<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"4\" fill=\"%s\"/>%n",
                WIDTH - RIGHT + 15,
                TOP + 20 * number,
                colour));
        text(WIDTH - RIGHT + 35, TOP + 6 + 20.0 * number, "start", round.pace().text());
    }

    /** One more nine is one step to the right, up to the fourth. */
    private static double x(double percentile) {
        double nines = Math.min(NINES, -Math.log10(1 - Math.min(percentile, 99.999999) / 100));
        return LEFT + nines / NINES * (WIDTH - LEFT - RIGHT);
    }

    private double y(double ms) {
        double share = Math.log10(Math.max(ms, msMin) / msMin) / Math.log10(msMax / msMin);
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
    }

    private void grid(double x1, double y1, double x2, double y2) {
        svg.append(String.format(
                Locale.ROOT,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>%n",
                x1,
                y1,
                x2,
                y2));
    }

    private void text(double x, double y, String anchor, String what) {
        svg.append(String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
                x,
                y,
                anchor,
                what.replace("&", "&amp;").replace("<", "&lt;")));
    }

    private static String trimmed(double number) {
        return number == Math.rint(number) ? "%,.0f".formatted(number) : Double.toString(number);
    }
}

package dev.claimstream.load;

import java.util.List;
import java.util.Locale;

/** Builds a picture as SVG. */
final class Drawing {
    private static final List<String> COLOURS =
            List.of("#1b6ca8", "#d1495b", "#3c887e", "#edae49", "#66488c", "#555555");

    private final StringBuilder svg = new StringBuilder();

    /** Creates a white picture; width and height are in pixels. */
    Drawing(int width, int height) {
        add(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\">",
                width,
                height));
        add("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>");
    }

    /** Returns the colour of an entry in a legend. */
    static String colour(int number) {
        return COLOURS.get(number % COLOURS.size());
    }

    void grid(double x1, double y1, double x2, double y2) {
        add(String.format(
                Locale.ROOT,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>",
                x1,
                y1,
                x2,
                y2));
    }

    void rectangle(double x, double y, double width, double height, String colour) {
        add(String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
                x,
                y,
                width,
                height,
                colour));
    }

    /** @param points pairs of coordinates in the format of SVG */
    void line(String points, String colour) {
        add(String.format(
                Locale.ROOT,
                "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"%s\" points=\"%s\"/>",
                colour,
                points));
    }

    /** @param anchor the part of the text at the coordinates: start, middle or end */
    void text(double x, double y, String anchor, String what) {
        String escaped = what.replace("&", "&amp;").replace("<", "&lt;");
        add(String.format(
                Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", x, y, anchor, escaped));
    }

    private void add(String element) {
        svg.append(element).append('\n');
    }

    /** Returns the whole file. */
    String finished() {
        return svg + "</svg>\n";
    }

    /** Formats a number without unnecessary digits. */
    static String trimmed(double number) {
        return number == Math.rint(number) ? String.format(Locale.ROOT, "%,.0f", number) : Double.toString(number);
    }
}

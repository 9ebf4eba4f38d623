package dev.claimstream.selectors.values;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Formats and splits strings and numbers like Go. */
public final class GoStrings {
    private GoStrings() {}

    /** Quotes a string and escapes all non-printable characters: Go's {@code %q}. */
    public static String quote(String text) {
        StringBuilder out = new StringBuilder(text.length() + 2).append('"');
        text.codePoints().forEach(c -> out.append(escaped(c)));
        return out.append('"').toString();
    }

    private static String escaped(int c) {
        return switch (c) {
            case '"' -> "\\\"";
            case '\\' -> "\\\\";
            case 7 -> "\\a";
            case '\b' -> "\\b";
            case '\f' -> "\\f";
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            case 11 -> "\\v";
            default -> prints(c) ? Character.toString(c) : numbered(c);
        };
    }

    private static String numbered(int c) {
        String form = c < 0x80 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x";
        return String.format(Locale.ROOT, form, c);
    }

    private static boolean prints(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            case Character.SPACE_SEPARATOR -> c == ' ';
            default -> true;
        };
    }

    /** Removes Unicode white space at both ends. */
    public static String trim(String text) {
        int[] points = text.codePoints().toArray();
        int start = 0;
        int end = points.length;
        while (start < end && isSpace(points[start])) {
            start++;
        }
        while (start < end && isSpace(points[end - 1])) {
            end--;
        }
        return new String(points, start, end - start);
    }

    private static boolean isSpace(int c) {
        return (c >= 9 && c <= 13)
                || c == 0x85
                || Character.getType(c) == Character.SPACE_SEPARATOR
                || c == 0x2028
                || c == 0x2029;
    }

    /** Splits a string into at most {@code limit} parts, or all if it is negative. An empty separator splits it into code points. */
    public static List<String> split(String text, String separator, long limit) {
        if (limit == 0) {
            return List.of();
        }
        List<String> parts = new ArrayList<>();
        int at = 0;
        while (limit < 0 || parts.size() < limit - 1) {
            int next = separator.isEmpty() ? nextPoint(text, at) : text.indexOf(separator, at);
            if (next < 0) {
                break;
            }
            parts.add(text.substring(at, next));
            at = next + separator.length();
        }
        if (!separator.isEmpty() || at < text.length()) {
            parts.add(text.substring(at));
        }
        return parts;
    }

    /** Returns the end of the code point at {@code at}; -1 if it is the last one or missing. */
    private static int nextPoint(String text, int at) {
        int next = at < text.length() ? text.offsetByCodePoints(at, 1) : -1;
        return next < text.length() ? next : -1;
    }

    /** Formats a number in the shortest exact form, as Go's {@code %g} does. It has an exponent outside -4 to 5. */
    public static String number(double value) {
        if (Double.isNaN(value)) {
            return "NaN";
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "+Inf" : "-Inf";
        }
        if (value == 0) {
            return 1 / value < 0 ? "-0" : "0";
        }
        // Java formats the smallest number with one more digit than necessary.
        BigDecimal shortest = Math.abs(value) == Double.MIN_VALUE
                ? BigDecimal.valueOf(5, 324).multiply(BigDecimal.valueOf((long) Math.signum(value)))
                : new BigDecimal(Double.toString(value)).stripTrailingZeros();
        int exponent = shortest.precision() - shortest.scale() - 1;
        return exponent < -4 || exponent > 5 ? scientific(shortest, exponent) : shortest.toPlainString();
    }

    private static String scientific(BigDecimal value, int exponent) {
        String digits = value.unscaledValue().abs().toString();
        String fraction = digits.length() > 1 ? "." + digits.substring(1) : "";
        return String.format(
                Locale.ROOT,
                "%s%c%se%c%02d",
                value.signum() < 0 ? "-" : "",
                digits.charAt(0),
                fraction,
                exponent < 0 ? '-' : '+',
                Math.abs(exponent));
    }

    /** Compares strings by code points, which is also the order of their UTF-8 bytes. */
    public static int compare(String a, String b) {
        return Arrays.compare(a.codePoints().toArray(), b.codePoints().toArray());
    }
}

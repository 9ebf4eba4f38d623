package dev.claimstream.selectors.functions;

import static dev.cel.common.types.SimpleType.DYN;
import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;

import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.claimstream.selectors.values.GoStrings;
import java.util.List;
import java.util.StringJoiner;

/** The string extension of CEL, version 2. Positions count code points. */
final class StringFunctions {
    private static final CelType STRINGS = ListType.create(STRING);

    private StringFunctions() {}

    static void addTo(FunctionRegistry functions) {
        addParts(functions);
        addSearches(functions);
        addConversions(functions);
        addLists(functions);
    }

    private static void addParts(FunctionRegistry functions) {
        functions
                .member(
                        "charAt",
                        "string_char_at_int",
                        STRING,
                        List.of(STRING, INT),
                        a -> charAt(text(a[0]), number(a[1])))
                .member(
                        "substring",
                        "string_substring_int",
                        STRING,
                        List.of(STRING, INT),
                        a -> from(text(a[0]), number(a[1])))
                .member(
                        "substring",
                        "string_substring_int_int",
                        STRING,
                        List.of(STRING, INT, INT),
                        a -> between(text(a[0]), number(a[1]), number(a[2])));
    }

    private static void addSearches(FunctionRegistry functions) {
        functions
                .member(
                        "indexOf",
                        "string_index_of_string",
                        INT,
                        List.of(STRING, STRING),
                        a -> indexOf(text(a[0]), text(a[1]), 0))
                .member(
                        "indexOf",
                        "string_index_of_string_int",
                        INT,
                        List.of(STRING, STRING, INT),
                        a -> indexOf(text(a[0]), text(a[1]), number(a[2])))
                .member(
                        "lastIndexOf",
                        "string_last_index_of_string",
                        INT,
                        List.of(STRING, STRING),
                        a -> lastIndexOf(text(a[0]), text(a[1])))
                .member(
                        "lastIndexOf",
                        "string_last_index_of_string_int",
                        INT,
                        List.of(STRING, STRING, INT),
                        a -> lastIndexOf(text(a[0]), text(a[1]), number(a[2])));
    }

    private static void addConversions(FunctionRegistry functions) {
        functions
                .member(
                        "lowerAscii",
                        "string_lower_ascii",
                        STRING,
                        List.of(STRING),
                        a -> shifted(text(a[0]), 'A', 'Z', 'a' - 'A'))
                .member(
                        "upperAscii",
                        "string_upper_ascii",
                        STRING,
                        List.of(STRING),
                        a -> shifted(text(a[0]), 'a', 'z', 'A' - 'a'))
                .member("trim", "string_trim", STRING, List.of(STRING), a -> GoStrings.trim(text(a[0])))
                .global("strings.quote", "strings_quote", STRING, List.of(STRING), a -> quote(text(a[0])))
                .member(
                        "replace",
                        "string_replace_string_string",
                        STRING,
                        List.of(STRING, STRING, STRING),
                        a -> replace(text(a[0]), text(a[1]), text(a[2]), -1))
                .member(
                        "replace",
                        "string_replace_string_string_int",
                        STRING,
                        List.of(STRING, STRING, STRING, INT),
                        a -> replace(text(a[0]), text(a[1]), text(a[2]), number(a[3])));
    }

    private static void addLists(FunctionRegistry functions) {
        functions
                .member(
                        "split",
                        "string_split_string",
                        STRINGS,
                        List.of(STRING, STRING),
                        a -> GoStrings.split(text(a[0]), text(a[1]), -1))
                .member(
                        "split",
                        "string_split_string_int",
                        STRINGS,
                        List.of(STRING, STRING, INT),
                        a -> GoStrings.split(text(a[0]), text(a[1]), number(a[2])))
                .member("join", "list_join", STRING, List.of(STRINGS), a -> join((List<?>) a[0], ""))
                .member(
                        "join",
                        "list_join_string",
                        STRING,
                        List.of(STRINGS, STRING),
                        a -> join((List<?>) a[0], text(a[1])))
                .member(
                        "format",
                        "string_format",
                        STRING,
                        List.of(STRING, ListType.create(DYN)),
                        a -> StringFormat.format(text(a[0]), (List<?>) a[1]));
    }

    private static String text(Object value) {
        return (String) value;
    }

    private static long number(Object value) {
        return (Long) value;
    }

    private static String charAt(String text, long index) {
        int[] points = text.codePoints().toArray();
        if (index == points.length) {
            return "";
        }
        return Character.toString(points[within(index, points.length)]);
    }

    private static String from(String text, long start) {
        int[] points = text.codePoints().toArray();
        int first = within(start, points.length);
        return new String(points, first, points.length - first);
    }

    private static String between(String text, long start, long end) {
        if (start > end) {
            throw new CallException("invalid substring range. start: %d, end: %d".formatted(start, end));
        }
        int[] points = text.codePoints().toArray();
        int first = within(start, points.length);
        return new String(points, first, within(end, points.length) - first);
    }

    private static int within(long index, int length) {
        if (index < 0 || index > length) {
            throw new CallException("index out of range: " + index);
        }
        return (int) index;
    }

    private static long indexOf(String text, String part, long offset) {
        int[] points = text.codePoints().toArray();
        int[] pattern = part.codePoints().toArray();
        if (offset < 0) {
            throw new CallException("index out of range: " + offset);
        }
        if (pattern.length == 0) {
            return Math.min(offset, points.length);
        }
        for (long i = offset; i <= points.length - pattern.length; i++) {
            if (isAt(points, pattern, (int) i)) {
                return i;
            }
        }
        return -1;
    }

    private static long lastIndexOf(String text, String part) {
        int length = text.codePointCount(0, text.length());
        return part.isEmpty() ? length : length == 0 ? -1 : lastIndexOf(text, part, length - 1L);
    }

    private static long lastIndexOf(String text, String part, long offset) {
        int[] points = text.codePoints().toArray();
        int[] pattern = part.codePoints().toArray();
        if (offset < 0) {
            throw new CallException("index out of range: " + offset);
        }
        if (pattern.length == 0) {
            return Math.min(offset, points.length);
        }
        if (offset >= points.length) {
            return -1;
        }
        for (int i = (int) Math.min(offset, points.length - pattern.length); i >= 0; i--) {
            if (isAt(points, pattern, i)) {
                return i;
            }
        }
        return -1;
    }

    private static boolean isAt(int[] points, int[] pattern, int index) {
        for (int i = 0; i < pattern.length; i++) {
            if (points[index + i] != pattern[i]) {
                return false;
            }
        }
        return true;
    }

    private static String shifted(String text, char first, char last, int by) {
        StringBuilder out = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            out.append(c >= first && c <= last ? (char) (c + by) : c);
        }
        return out.toString();
    }

    /** Replaces at most {@code limit} parts, or all if it is negative. An empty part matches before every code point and at the end. */
    private static String replace(String text, String part, String by, long limit) {
        long parts = part.isEmpty() ? text.codePointCount(0, text.length()) + 1L : occurrences(text, part);
        long count = limit < 0 ? parts : Math.min(parts, limit);
        StringBuilder out = new StringBuilder(
                ResultSizeLimit.check("replace", text.length() + count * (by.length() - (long) part.length())));
        int at = 0;
        for (long i = 0; i < count; i++) {
            int next = at;
            if (!part.isEmpty()) {
                next = text.indexOf(part, at);
            } else if (i > 0) {
                next = text.offsetByCodePoints(at, 1);
            }
            out.append(text, at, next).append(by);
            at = next + part.length();
        }
        return out.append(text, at, text.length()).toString();
    }

    private static long occurrences(String text, String part) {
        long count = 0;
        for (int at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length())) {
            count++;
        }
        return count;
    }

    private static String join(List<?> parts, String separator) {
        long size = 0;
        for (Object part : parts) {
            if (!(part instanceof String text)) {
                throw new CallException("join: invalid input: " + part);
            }
            size += text.length() + (long) separator.length();
        }
        StringJoiner out = new StringJoiner(separator);
        ResultSizeLimit.check("join", size);
        parts.forEach(part -> out.add((String) part));
        return out.toString();
    }

    /** Escapes only the characters that CEL's own quoting escapes. */
    private static String quote(String text) {
        StringBuilder out = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            int escape = "\u0007\b\f\n\r\t\u000b\\\"".indexOf(c);
            if (escape < 0) {
                out.append(c);
            } else {
                out.append('\\').append("abfnrtv\\\"".charAt(escape));
            }
        }
        return out.append('"').toString();
    }
}

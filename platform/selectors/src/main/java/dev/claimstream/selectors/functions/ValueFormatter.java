package dev.claimstream.selectors.functions;

import com.google.common.primitives.UnsignedLong;
import dev.cel.common.types.TypeType;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import dev.claimstream.selectors.values.GoStrings;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Formats values as text: for {@code string(x)}, for the clause {@code %s}, and as literals inside lists and maps. */
public final class ValueFormatter {
    private static final int NANOS = 1_000_000_000;
    private static final String NO_UTF8 = "invalid UTF-8 in bytes, cannot convert to string";

    private ValueFormatter() {}

    /** Formats a value for the clause {@code %s}. */
    static String clause(Object value) {
        try {
            return text(value);
        } catch (IllegalArgumentException e) {
            String problem = String.valueOf(e.getMessage());
            throw new CallException(
                    problem.equals(NO_UTF8)
                            ? "error during formatting: could not convert argument \"%s\" to string".formatted(problem)
                            : problem,
                    e);
        }
    }

    /**
     * Formats a value.
     *
     * @throws IllegalArgumentException if the type has no text form
     */
    public static String text(Object value) {
        return switch (value) {
            case List<?> list -> list(list);
            case Map<?, ?> map -> map(map);
            case NullValue n -> "null";
            case Boolean b -> b.toString();
            case Long number -> number.toString();
            case UnsignedLong number -> number.toString();
            case Double number -> GoStrings.number(number);
            case String text -> text;
            case CelByteString bytes -> utf8(bytes);
            case Duration duration -> duration(duration);
            case Instant instant -> instant(instant);
            case TypeType type -> ValueTypes.typeValueName(type);
            default -> throw StringFormat.typeError('s', ValueTypes.typeName(value));
        };
    }

    /** Formats a duration in seconds, with the precision of a double. */
    static String duration(Duration duration) {
        boolean isNegative = duration.isNegative() && duration.getNano() > 0;
        long whole = isNegative ? duration.getSeconds() + 1 : duration.getSeconds();
        int nanos = isNegative ? duration.getNano() - NANOS : duration.getNano();
        double seconds = whole + (double) nanos / NANOS;
        return (seconds == 0
                        ? "0"
                        : BigDecimal.valueOf(seconds).stripTrailingZeros().toPlainString()) + "s";
    }

    /** Formats a time in RFC 3339 with the necessary digits of the second. */
    static String instant(Instant instant) {
        String text = DateTimeFormatter.ISO_INSTANT.format(instant);
        if (!text.contains(".")) {
            return text;
        }
        int end = text.length() - 1;
        while (text.charAt(end - 1) == '0') {
            end--;
        }
        return text.substring(0, end) + "Z";
    }

    private static String utf8(CelByteString bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new CallException(NO_UTF8, e);
        }
    }

    private static String list(List<?> list) {
        return list.stream().map(ValueFormatter::literal).collect(Collectors.joining(", ", "[", "]"));
    }

    private static String map(Map<?, ?> map) {
        return map.entrySet().stream()
                .map(entry -> Map.entry(key(entry.getKey()), literal(entry.getValue())))
                .sorted(Comparator.comparing(Map.Entry::getKey, GoStrings::compare))
                .map(entry -> entry.getKey() + ":" + entry.getValue())
                .collect(Collectors.joining(", ", "{", "}"));
    }

    private static String key(Object key) {
        return switch (key) {
            case String text -> GoStrings.quote(text);
            case Boolean b -> b.toString();
            case Long number -> number.toString();
            case UnsignedLong number -> number.toString();
            default ->
                throw new CallException("error during formatting: no formatting function for map key of type "
                        + ValueTypes.typeName(key));
        };
    }

    private static String literal(Object value) {
        return switch (value) {
            case String text -> GoStrings.quote(text);
            case CelByteString bytes -> "b" + GoStrings.quote(utf8(bytes));
            case Double number -> number(number);
            case Duration duration -> "duration(" + GoStrings.quote(duration(duration)) + ")";
            case Instant instant -> "timestamp(" + GoStrings.quote(instant(instant)) + ")";
            case List<?> list -> list(list);
            case Map<?, ?> map -> map(map);
            case NullValue n -> "null";
            case Boolean b -> b.toString();
            case Long number -> number.toString();
            case UnsignedLong number -> number.toString();
            case TypeType type -> ValueTypes.typeValueName(type);
            default ->
                throw new CallException(
                        "error during formatting: no formatting function for " + ValueTypes.typeName(value));
        };
    }

    private static String number(double value) {
        return Double.isFinite(value)
                ? new BigDecimal(value).setScale(6, RoundingMode.HALF_EVEN).toPlainString()
                : GoStrings.quote(GoStrings.number(value));
    }
}

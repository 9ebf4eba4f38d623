package dev.claimstream.selectors.functions;

import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.UnsignedLong;
import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;
import java.util.Map;

/** Parses texts of values like Go. Each method throws an {@link IllegalArgumentException} if the text is invalid. */
final class GoParser {
    private static final Pattern INTEGER = Pattern.compile("[+-]?[0-9]+");
    private static final Pattern UNSIGNED = Pattern.compile("[0-9]+");
    private static final Pattern DECIMAL = Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?");
    private static final Pattern HEXADECIMAL =
            Pattern.compile("[+-]?0[xX]([0-9a-fA-F]+\\.?[0-9a-fA-F]*|\\.[0-9a-fA-F]+)[pP][+-]?[0-9]+");
    private static final Pattern DURATION =
            Pattern.compile("[+-]?(0|(([0-9]+\\.?[0-9]*|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)");
    private static final Pattern DURATION_PART = Pattern.compile("([0-9]+\\.?[0-9]*|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)");
    private static final Pattern TIMESTAMP = Pattern.compile(
            "([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:[.,]([0-9]+))?(Z|[+-][0-9]{2}:[0-9]{2})");
    private static final int FRACTION_MAX = 9;

    private static final Map<String, BigDecimal> NANOS = ImmutableMap.<String, BigDecimal>builder()
            .put("ns", BigDecimal.ONE)
            .put("us", BigDecimal.valueOf(1_000))
            .put("µs", BigDecimal.valueOf(1_000))
            .put("μs", BigDecimal.valueOf(1_000))
            .put("ms", BigDecimal.valueOf(1_000_000))
            .put("s", BigDecimal.valueOf(1_000_000_000))
            .put("m", BigDecimal.valueOf(60_000_000_000L))
            .put("h", BigDecimal.valueOf(3_600_000_000_000L))
            .buildOrThrow();

    private GoParser() {}

    static long integer(String text) {
        return Long.parseLong(checked(text, INTEGER));
    }

    static UnsignedLong unsigned(String text) {
        return UnsignedLong.valueOf(checked(text, UNSIGNED));
    }

    static double number(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "inf", "+inf", "infinity", "+infinity" -> Double.POSITIVE_INFINITY;
            case "-inf", "-infinity" -> Double.NEGATIVE_INFINITY;
            case "nan" -> Double.NaN;
            default -> finite(text);
        };
    }

    private static double finite(String text) {
        double value = Double.parseDouble(HEXADECIMAL.matches(text) ? text : checked(text, DECIMAL));
        if (Double.isInfinite(value)) {
            throw new CallException(text);
        }
        return value;
    }

    static boolean bool(String text) {
        return switch (text) {
            case "1", "t", "T", "TRUE", "true", "True" -> true;
            case "0", "f", "F", "FALSE", "false", "False" -> false;
            default -> throw new CallException(text);
        };
    }

    static Duration duration(String text) {
        Matcher parts = DURATION_PART.matcher(checked(text, DURATION));
        BigInteger nanos = BigInteger.ZERO;
        while (parts.find()) {
            BigDecimal unit = NANOS.getOrDefault(parts.group(2), BigDecimal.ZERO);
            nanos = nanos.add(new BigDecimal(parts.group(1)).multiply(unit).toBigInteger());
        }
        if (text.startsWith("-")) {
            nanos = nanos.negate();
        }
        if (nanos.bitLength() >= Long.SIZE) {
            throw new CallException(text);
        }
        return Duration.ofNanos(nanos.longValue());
    }

    static Instant timestamp(String text) {
        Matcher parts = TIMESTAMP.matcher(text);
        if (!parts.matches()) {
            throw new CallException(text);
        }
        String fraction = parts.group(2) == null ? "0" : parts.group(2);
        String kept = fraction.substring(0, Math.min(fraction.length(), FRACTION_MAX));
        return OffsetDateTime.parse(parts.group(1) + "." + kept + parts.group(3))
                .toInstant();
    }

    private static String checked(String text, Pattern pattern) {
        if (!pattern.matches(text)) {
            throw new CallException(text);
        }
        return text;
    }
}

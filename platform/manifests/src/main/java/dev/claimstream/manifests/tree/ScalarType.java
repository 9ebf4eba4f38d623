package dev.claimstream.manifests.tree;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The type of an unquoted YAML scalar, by the rules of the library that kubectl uses (YAML 1.1 and {@code 0o17}). */
public enum ScalarType {
    TEXT("a text"),
    BOOL("a boolean"),
    INTEGER("a number"),
    FLOAT("a number"),
    NULL("null");

    private static final int DIGITS_MAX = 100;
    private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");
    private static final Set<String> TRUE =
            Set.of("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON");
    private static final Set<String> FALSE =
            Set.of("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF");
    private static final Pattern INT =
            Pattern.compile("[-+]?(0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|0[0-7_]*|[1-9][0-9_]*)");
    private static final Pattern REAL = Pattern.compile(
            "[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]{1,4})?" + "|[-+]?\\.(inf|Inf|INF)|\\.(nan|NaN|NAN)");
    private static final Pattern JSON_NUMBER = Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?");

    private final String displayName;

    ScalarType(String words) {
        this.displayName = words;
    }

    /** Returns the name of the type in findings. */
    public String displayName() {
        return displayName;
    }

    /** Returns the type of an unquoted scalar. */
    public static ScalarType of(String word) {
        if (NULLS.contains(word)) {
            return NULL;
        }
        if (TRUE.contains(word) || FALSE.contains(word)) {
            return BOOL;
        }
        char first = word.charAt(0);
        if (!(first >= '0' && first <= '9') && first != '-' && first != '+' && first != '.') {
            return TEXT;
        }
        if (INT.matcher(word).matches()) {
            return INTEGER;
        }
        return REAL.matcher(word).matches() ? FLOAT : TEXT;
    }

    /** Returns whether a scalar of type {@link #BOOL} is true. */
    public static boolean isTrue(String word) {
        return TRUE.contains(word);
    }

    /** Returns the number in JSON notation; empty for infinities, NaN and texts that are not numbers. */
    public static Optional<String> number(String word) {
        if (JSON_NUMBER.matcher(word).matches()) {
            return Optional.of(word);
        }
        if (word.length() > DIGITS_MAX) {
            return Optional.empty();
        }
        String digits = word.replace("_", "");
        if (INT.matcher(word).matches()) {
            return Optional.of(integer(digits).toString());
        }
        return REAL.matcher(word).matches() && word.chars().anyMatch(c -> c >= '0' && c <= '9')
                ? Optional.of(new BigDecimal(digits).toString())
                : Optional.empty();
    }

    private static BigInteger integer(String digits) {
        boolean negative = digits.startsWith("-");
        String plain = negative || digits.startsWith("+") ? digits.substring(1) : digits;
        String lower = plain.toLowerCase(Locale.ROOT);
        BigInteger value;
        if (lower.startsWith("0x")) {
            value = based(lower.substring(2), 16);
        } else if (lower.startsWith("0b")) {
            value = based(lower.substring(2), 2);
        } else if (lower.startsWith("0o")) {
            value = based(lower.substring(2), 8);
        } else {
            value = based(plain, plain.startsWith("0") ? 8 : 10);
        }
        return negative ? value.negate() : value;
    }

    private static BigInteger based(String digits, int base) {
        return digits.isEmpty() ? BigInteger.ZERO : new BigInteger(digits, base);
    }
}

package dev.claimstream.dra;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/**
 * A Kubernetes quantity: a decimal number with the notation it was written in. Equal and ordered by amount alone; printed in the
 * canonical form of its notation. Amounts finer than a billionth are rounded away from zero, as Kubernetes does.
 *
 * @see <a href="https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/">Quantity</a>
 */
public final class Quantity implements Comparable<Quantity> {
    /** How an amount is written. */
    public enum Notation {
        /** {@code 5}, {@code 1500m}, {@code 3G}. */
        DECIMAL_SI,
        /** {@code 40Gi}. */
        BINARY_SI,
        /** {@code 1e3}. */
        DECIMAL_EXPONENT
    }

    private static final String[] DECIMAL = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    private static final String[] BINARY = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    private static final BigDecimal MAX = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final BigInteger KIBI = BigInteger.valueOf(1024);
    private static final int DIGITS_MAX = 64;

    private final BigDecimal amount;
    private final Notation notation;

    private Quantity(BigDecimal amount, Notation notation) {
        this.amount = amount.signum() == 0 ? BigDecimal.ZERO : amount.stripTrailingZeros();
        this.notation = notation;
    }

    /** A whole number. */
    public static Quantity of(long amount) {
        return new Quantity(BigDecimal.valueOf(amount), Notation.DECIMAL_SI);
    }

    /** An amount in a notation. */
    public static Quantity of(BigDecimal amount, Notation notation) {
        return new Quantity(rounded(amount), notation);
    }

    /**
     * Reads {@code [+-]digits[.digits][suffix]}.
     *
     * @throws IllegalArgumentException in the words of Kubernetes where the text is no quantity
     */
    public static Quantity parse(String text) {
        int start = !text.isEmpty() && (text.charAt(0) == '-' || text.charAt(0) == '+') ? 1 : 0;
        int end = start;
        int points = 0;
        while (end < text.length() && (isDigit(text.charAt(end)) || (text.charAt(end) == '.' && points++ == 0))) {
            end++;
        }
        String digits = text.substring(start, end);
        if (digits.isEmpty() || digits.equals(".") || digits.length() > DIGITS_MAX) {
            throw malformed();
        }
        Scale scale = Scale.of(text.substring(end));
        BigDecimal amount = new BigDecimal((text.startsWith("-") ? "-" : "") + padded(digits))
                .multiply(new BigDecimal(KIBI.pow(scale.kibis)))
                .scaleByPowerOfTen(scale.tens);
        BigDecimal rounded = rounded(amount);
        if (scale.notation == Notation.BINARY_SI && rounded.abs().compareTo(MAX) > 0) {
            rounded = rounded.signum() < 0 ? MAX.negate() : MAX;
        }
        return new Quantity(rounded, scale.notation);
    }

    private static String padded(String digits) {
        String whole = digits.startsWith(".") ? "0" + digits : digits;
        return whole.endsWith(".") ? whole + "0" : whole;
    }

    private static BigDecimal rounded(BigDecimal amount) {
        return amount.scale() > 9 ? amount.setScale(9, RoundingMode.UP) : amount;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static IllegalArgumentException malformed() {
        return new IllegalArgumentException(
                "quantities must match the regular expression" + " '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    }

    private record Scale(int tens, int kibis, Notation notation) {
        static Scale of(String suffix) {
            for (int i = 0; i < DECIMAL.length; i++) {
                if (suffix.equals(DECIMAL[i])) {
                    return new Scale(3 * (i - 3), 0, Notation.DECIMAL_SI);
                }
            }
            for (int i = 1; i < BINARY.length; i++) {
                if (suffix.equals(BINARY[i])) {
                    return new Scale(0, i, Notation.BINARY_SI);
                }
            }
            if (suffix.startsWith("e") || suffix.startsWith("E")) {
                try {
                    int tens = Integer.parseInt(suffix.substring(1));
                    if (Math.abs(tens) <= DIGITS_MAX) {
                        return new Scale(tens, 0, Notation.DECIMAL_EXPONENT);
                    }
                } catch (NumberFormatException e) {
                    // not an exponent: refused below like any other suffix
                }
            }
            throw suffix.chars().allMatch(c -> "eEinumkKMGTP+-0123456789".indexOf(c) >= 0)
                    ? new IllegalArgumentException("unable to parse quantity's suffix")
                    : malformed();
        }
    }

    /** The exact amount. */
    public BigDecimal amount() {
        return amount;
    }

    /** The notation it was written in. */
    public Notation notation() {
        return notation;
    }

    /** The sum, in this notation, or in the other's where this is zero. */
    public Quantity plus(Quantity other) {
        return new Quantity(amount.add(other.amount), amount.signum() == 0 ? other.notation : notation);
    }

    /** The difference, in this notation, or in the other's where this is zero. */
    public Quantity minus(Quantity other) {
        return new Quantity(amount.subtract(other.amount), amount.signum() == 0 ? other.notation : notation);
    }

    /** -1, 0 or 1. */
    public int signum() {
        return amount.signum();
    }

    /** Whether it is a whole number that fits 64 bits. */
    public boolean isInteger() {
        return amount.scale() <= 0 && amount.abs().compareTo(MAX) <= 0;
    }

    /** The amount rounded up to a whole number, kept within 64 bits: {@code Quantity.Value()} of Kubernetes. */
    public long value() {
        BigDecimal up = amount.setScale(0, RoundingMode.UP);
        if (up.abs().compareTo(MAX) > 0) {
            return up.signum() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
        return up.longValueExact();
    }

    @Override
    public int compareTo(Quantity other) {
        return amount.compareTo(other.amount);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Quantity q && amount.compareTo(q.amount) == 0;
    }

    @Override
    public int hashCode() {
        return amount.hashCode();
    }

    @Override
    public String toString() {
        if (amount.signum() == 0) {
            return "0";
        }
        return switch (notation) {
            case BINARY_SI -> binary();
            case DECIMAL_SI -> decimal(false);
            case DECIMAL_EXPONENT -> decimal(true);
        };
    }

    private String binary() {
        if (amount.abs().compareTo(new BigDecimal(KIBI)) < 0 || amount.scale() > 0) {
            return decimal(false);
        }
        BigInteger rest = amount.toBigIntegerExact();
        int kibis = 0;
        while (kibis < BINARY.length - 1 && rest.mod(KIBI).signum() == 0) {
            rest = rest.divide(KIBI);
            kibis++;
        }
        return rest + BINARY[kibis];
    }

    private String decimal(boolean exponent) {
        int tens = -amount.scale();
        int step = Math.min(Math.floorDiv(tens, 3), exponent ? Integer.MAX_VALUE : 6);
        BigInteger mantissa = amount.scaleByPowerOfTen(-3 * step).toBigIntegerExact();
        if (exponent) {
            return step == 0 ? mantissa.toString() : mantissa + "e" + 3 * step;
        }
        return mantissa + DECIMAL[step + 3];
    }
}

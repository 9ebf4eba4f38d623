package dev.claimstream.dra;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * A Kubernetes quantity: a decimal number and the notation in which it was written.
 *
 * <p>Equality and order depend on the amount only. {@link #toString} returns the canonical form of the notation. Amounts are rounded away
 * from zero to a multiple of 10<sup>-9</sup>, as Kubernetes does.
 *
 * @see <a href="https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/">Quantity</a>
 */
public final class Quantity implements Comparable<Quantity> {
    /** The notation of an amount. */
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
    private static final int NANO = 9;
    private static final Pattern SUFFIX = Pattern.compile("[eEinumkKMGTP]*[-+]?[0-9]*");
    private static final Pattern EXPONENT = Pattern.compile("[eE][-+]?0*[0-9]{1,4}");
    private static final int DIGITS_MAX = 1000;
    private static final int SMALL_DIGITS = 18;

    private final BigDecimal amount;
    private final Representation representation;
    private final Notation notation;

    /**
     * The internal representation of an amount in Kubernetes.
     *
     * <p>It is a 64-bit number with a decimal scale if the parsed text has few digits, and a wider form otherwise. Equal amounts may have
     * different representations, which {@link #asInt64} and {@link #approximate} distinguish.
     *
     * @param digits the amount with the scale of the representation
     * @param isSmall whether the representation has 64 bits
     */
    public record Representation(BigDecimal digits, boolean isSmall) {}

    private Quantity(Representation form, Notation notation) {
        this.amount = form.digits.signum() == 0 ? BigDecimal.ZERO : form.digits.stripTrailingZeros();
        this.representation = form;
        this.notation = notation;
    }

    /** Returns an integer in decimal notation. */
    public static Quantity of(long amount) {
        return new Quantity(new Representation(BigDecimal.valueOf(amount), true), Notation.DECIMAL_SI);
    }

    /** Returns a number of thousandths. */
    public static Quantity thousandths(long amount) {
        return of(BigDecimal.valueOf(amount, 3), Notation.DECIMAL_SI);
    }

    /** Returns an amount that is written in this notation. */
    public static Quantity of(BigDecimal amount, Notation notation) {
        BigDecimal rounded = rounded(amount);
        return new Quantity(new Representation(rounded, rounded.unscaledValue().bitLength() < Long.SIZE), notation);
    }

    /**
     * Parses {@code [+-]digits[.digits][suffix]}. As in Kubernetes, missing digits mean zero.
     *
     * @throws IllegalArgumentException with the message of Kubernetes if the text is no quantity, and if it has more than 1000 digits or
     *     decimal places
     */
    public static Quantity parse(String text) {
        if (text.isEmpty()) {
            throw malformed();
        }
        boolean isNegative = text.charAt(0) == '-';
        int start = isNegative || text.charAt(0) == '+' ? 1 : 0;
        int point = digitsEnd(text, start);
        int end = point < text.length() && text.charAt(point) == '.' ? digitsEnd(text, point + 1) : point;
        Scale scale = Scale.of(text.substring(end));
        String whole = text.substring(start, point);
        String fraction = end > point ? text.substring(point + 1, end) : "";
        if (whole.length() + fraction.length() > DIGITS_MAX) {
            throw new IllegalArgumentException("unable to parse numeric part of quantity");
        }
        Representation form = representation(whole, fraction, scale);
        return new Quantity(isNegative ? new Representation(form.digits.negate(), form.isSmall) : form, scale.notation);
    }

    private static int digitsEnd(String text, int start) {
        int end = start;
        while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
            end++;
        }
        return end;
    }

    private static Representation representation(String whole, String fraction, Scale scale) {
        boolean isBinary = scale.notation == Notation.BINARY_SI;
        BigDecimal digits = new BigDecimal(new BigInteger("0" + whole + fraction), fraction.length() - scale.tens)
                .multiply(new BigDecimal(KIBI.pow(scale.kibis)));
        int length = Math.max(withoutLeadingZeroes(whole), 1) + fraction.length();
        int room = isBinary ? SMALL_DIGITS - 4 - 3 * scale.kibis : SMALL_DIGITS;
        if (length <= room && digits.scale() <= NANO && (!isBinary || fraction.isEmpty())) {
            return new Representation(digits, true);
        }
        if (whole.isEmpty() && fraction.isEmpty()) {
            throw new IllegalArgumentException("unable to parse numeric part of quantity");
        }
        BigDecimal rounded = digits.signum() == 0 ? digits : digits.setScale(NANO, RoundingMode.UP);
        return new Representation(isBinary ? rounded.min(MAX) : rounded, false);
    }

    private static int withoutLeadingZeroes(String digits) {
        int zeroes = 0;
        while (zeroes < digits.length() && digits.charAt(zeroes) == '0') {
            zeroes++;
        }
        return digits.length() - zeroes;
    }

    private static BigDecimal rounded(BigDecimal amount) {
        return amount.scale() > NANO ? amount.setScale(NANO, RoundingMode.UP) : amount;
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
            if (!SUFFIX.matcher(suffix).matches()) {
                throw malformed();
            }
            if (!EXPONENT.matcher(suffix).matches()) {
                throw new IllegalArgumentException("unable to parse quantity's suffix");
            }
            return new Scale(Integer.parseInt(suffix, 1, suffix.length(), 10), 0, Notation.DECIMAL_EXPONENT);
        }
    }

    /** Returns the exact amount. */
    public BigDecimal amount() {
        return amount;
    }

    public Notation notation() {
        return notation;
    }

    /** Returns the internal representation. */
    public Representation representation() {
        return representation;
    }

    /** Returns the sum in this notation, or in the other's notation if this amount is zero. */
    public Quantity plus(Quantity other) {
        return new Quantity(
                sum(representation, other.representation), amount.signum() == 0 ? other.notation : notation);
    }

    /** Returns the difference in this notation, or in the other's notation if this amount is zero. */
    public Quantity minus(Quantity other) {
        Representation negative =
                new Representation(other.representation.digits.negate(), other.representation.isSmall);
        return new Quantity(sum(representation, negative), amount.signum() == 0 ? other.notation : notation);
    }

    /**
     * Adds two representations as Kubernetes does: small ones stay small without overflow, and zero changes nothing, not even the scale.
     */
    private static Representation sum(Representation a, Representation b) {
        boolean areSmall = a.isSmall && b.isSmall;
        if (areSmall && (a.digits.signum() == 0 || b.digits.signum() == 0)) {
            return b.digits.signum() == 0 ? a : b;
        }
        BigDecimal digits = a.digits.add(b.digits);
        return new Representation(digits, areSmall && fits(a, digits) && fits(b, digits) && fits(digits));
    }

    private static boolean fits(Representation part, BigDecimal sum) {
        return fits(part.digits.setScale(sum.scale(), RoundingMode.UNNECESSARY));
    }

    private static boolean fits(BigDecimal digits) {
        return digits.unscaledValue().bitLength() < Long.SIZE;
    }

    /**
     * Returns the amount if it is represented as a 64-bit integer: {@code AsInt64} of Kubernetes.
     *
     * <p>Absent for {@code 5000m} and {@code 1Pi}, because the representation decides. {@link #isInteger} depends on the amount only.
     */
    public OptionalLong asInt64() {
        if (!representation.isSmall || representation.digits.scale() > 0) {
            return OptionalLong.empty();
        }
        BigDecimal whole = representation.digits.setScale(0, RoundingMode.UNNECESSARY);
        return fits(whole) ? OptionalLong.of(whole.longValueExact()) : OptionalLong.empty();
    }

    /** Returns the amount as a double with the two roundings of Kubernetes: {@code AsApproximateFloat64}. */
    public double approximate() {
        double base = representation.digits.unscaledValue().doubleValue();
        int exponent = -representation.digits.scale();
        return exponent == 0 ? base : base * new BigDecimal(BigInteger.ONE, -exponent).doubleValue();
    }

    /** Returns -1, 0 or 1. */
    public int signum() {
        return amount.signum();
    }

    /** Returns whether the amount is an integer that fits into 64 bits. */
    public boolean isInteger() {
        return amount.scale() <= 0 && amount.abs().compareTo(MAX) <= 0;
    }

    /** Returns the amount rounded away from zero to an integer, saturated to 64 bits: {@code Quantity.Value()} of Kubernetes. */
    public long value() {
        return scaled(0);
    }

    /** Returns the amount times ten to the power of {@code places}, rounded away from zero, saturated to 64 bits. */
    public long scaled(int places) {
        BigDecimal up = amount.scaleByPowerOfTen(places).setScale(0, RoundingMode.UP);
        if (up.abs().compareTo(MAX) > 0) {
            return up.signum() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
        return up.longValueExact();
    }

    /**
     * Returns the amount times ten to the power of {@code places} with the overflow of {@code ScaledValue} in Kubernetes.
     *
     * <p>If the result does not fit, it is the lower bits or zero, depending on the representation.
     */
    public long wrappingScaledValue(int places) {
        int up = places - representation.digits.scale();
        return representation.isSmall ? wrappingSmall(up) : wrappingWide(up);
    }

    private long wrappingSmall(int up) {
        long digits = representation.digits.unscaledValue().longValueExact();
        if (up < 0) {
            return BigDecimal.valueOf(digits, -up).setScale(0, RoundingMode.UP).longValueExact();
        }
        if (up > 0 && digits == Long.MIN_VALUE) {
            return 0;
        }
        boolean isOneStep =
                up <= 3 || up == 6 || up == 9; // other powers are multiplied step by step and abandoned on overflow
        BigInteger product = BigInteger.valueOf(digits).multiply(BigInteger.TEN.pow(up));
        return isOneStep || product.bitLength() < Long.SIZE ? product.longValue() : 0;
    }

    private long wrappingWide(int up) {
        BigInteger digits = representation.digits.unscaledValue();
        if (up >= 0) {
            return digits.longValue() * BigInteger.TEN.pow(up).longValue();
        }
        BigInteger divisor = BigInteger.TEN.pow(-up);
        if (digits.compareTo(BigInteger.valueOf(Long.MAX_VALUE)) < 0 && -up <= SMALL_DIGITS) {
            long part = digits.longValue() / divisor.longValue();
            return digits.longValue() % divisor.longValue() == 0 ? part : part + 1;
        }
        BigInteger[] parts = digits.divideAndRemainder(divisor);
        return parts[0].longValue() + (parts[1].signum() > 0 ? 1 : 0);
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

package dev.claimstream.allocation.inventory;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Collection;
import java.util.Optional;

/**
 * What amounts are whole multiples of, so that they can be reckoned with as numbers of 64 bits: a power of ten, or where that is too
 * small, what all of them have in common. Where neither fits, the unit is coarser: what is taken is rounded up, what there is is rounded
 * down, and nothing is given out twice.
 *
 * @param places how many decimal places it has; negative: how many digits are left out before the point
 * @param multiple how many of those it is
 */
public record Unit(int places, BigInteger multiple) {
    /** So large that the takings of a pool can be summed up. */
    private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE >> 2);

    /** Whole numbers are left as they are, as long as they fit. */
    private static final BigDecimal WHOLE_MOST = BigDecimal.valueOf(Long.MAX_VALUE);

    /** The unit of these amounts. */
    public static Unit of(Collection<BigDecimal> amounts) {
        return exact(amounts).orElseGet(() -> coarse(amounts));
    }

    /** A unit of which all of these amounts are whole multiples; none where they would be too many. */
    static Optional<Unit> exact(Collection<BigDecimal> amounts) {
        int places = places(amounts);
        BigDecimal most = most(amounts);
        if (fits(most, places)) {
            return Optional.of(new Unit(places, BigInteger.ONE));
        }
        BigInteger common = common(amounts, places);
        boolean areFew =
                most.movePointRight(places).toBigInteger().divide(common).compareTo(MOST.toBigInteger()) <= 0;
        return areFew ? Optional.of(new Unit(places, common)) : Optional.empty();
    }

    private static Unit coarse(Collection<BigDecimal> amounts) {
        BigDecimal most = most(amounts);
        int places = places(amounts);
        while (!fits(most, places)) {
            places--;
        }
        return new Unit(places, BigInteger.ONE);
    }

    private static int places(Collection<BigDecimal> amounts) {
        return amounts.stream()
                .mapToInt(each -> Math.max(0, each.scale()))
                .max()
                .orElse(0);
    }

    private static BigDecimal most(Collection<BigDecimal> amounts) {
        return amounts.stream().map(BigDecimal::abs).max(BigDecimal::compareTo).orElse(BigDecimal.ZERO);
    }

    private static boolean fits(BigDecimal most, int places) {
        return most.movePointRight(places).compareTo(places > 0 ? MOST : WHOLE_MOST) <= 0;
    }

    private static BigInteger common(Collection<BigDecimal> amounts, int places) {
        return amounts.stream()
                .map(each -> each.movePointRight(places).toBigIntegerExact())
                .reduce(BigInteger.ZERO, BigInteger::gcd);
    }

    /** An amount that somebody takes. */
    public long taken(BigDecimal amount) {
        return number(amount, RoundingMode.CEILING);
    }

    /** An amount that there is. */
    public long available(BigDecimal amount) {
        return number(amount, RoundingMode.FLOOR);
    }

    private long number(BigDecimal amount, RoundingMode mode) {
        BigDecimal moved = amount.movePointRight(places);
        BigDecimal whole = multiple.equals(BigInteger.ONE)
                ? moved.setScale(0, mode)
                : moved.divide(new BigDecimal(multiple), 0, mode);
        return whole.min(WHOLE_MOST).max(WHOLE_MOST.negate()).longValueExact();
    }
}

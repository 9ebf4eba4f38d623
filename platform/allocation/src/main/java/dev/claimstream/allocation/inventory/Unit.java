package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.Quantity;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Collection;

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
    public static Unit of(Collection<Quantity> amounts) {
        int places = amounts.stream()
                .mapToInt(each -> Math.max(0, each.amount().scale()))
                .max()
                .orElse(0);
        BigDecimal most = amounts.stream()
                .map(each -> each.amount().abs())
                .max(BigDecimal::compareTo)
                .orElse(BigDecimal.ZERO);
        if (fits(most, places)) {
            return new Unit(places, BigInteger.ONE);
        }
        Unit common = new Unit(places, common(amounts, places));
        if (most.movePointRight(places).toBigInteger().divide(common.multiple).compareTo(MOST.toBigInteger()) <= 0) {
            return common;
        }
        int coarse = places;
        while (!fits(most, coarse)) {
            coarse--;
        }
        return new Unit(coarse, BigInteger.ONE);
    }

    private static boolean fits(BigDecimal most, int places) {
        return most.movePointRight(places).compareTo(places > 0 ? MOST : WHOLE_MOST) <= 0;
    }

    private static BigInteger common(Collection<Quantity> amounts, int places) {
        return amounts.stream()
                .map(each -> each.amount().movePointRight(places).toBigIntegerExact())
                .reduce(BigInteger.ZERO, BigInteger::gcd);
    }

    /** An amount that somebody takes. */
    public long taken(Quantity amount) {
        return number(amount.amount(), RoundingMode.CEILING);
    }

    /** An amount that there is. */
    public long available(Quantity amount) {
        return number(amount.amount(), RoundingMode.FLOOR);
    }

    private long number(BigDecimal amount, RoundingMode mode) {
        BigDecimal moved = amount.movePointRight(places);
        BigDecimal whole = multiple.equals(BigInteger.ONE)
                ? moved.setScale(0, mode)
                : moved.divide(new BigDecimal(multiple), 0, mode);
        return whole.min(WHOLE_MOST).max(WHOLE_MOST.negate()).longValueExact();
    }
}

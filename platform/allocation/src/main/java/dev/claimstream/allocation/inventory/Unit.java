package dev.claimstream.allocation.inventory;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Collection;
import java.util.List;

/**
 * An amount of which all amounts of a counter or capacity are whole multiples: a power of ten, or their greatest common divisor.
 *
 * <p>Multiples are numbers of one limb wherever 62 bits are enough, and else of as many {@link Limbs} as the largest amount needs. So no
 * amount is rounded.
 *
 * @param places how many decimal places the power of ten has
 * @param multiple how many of those the unit is
 * @param width how many limbs a multiple has
 */
public record Unit(int places, BigInteger multiple, int width) {
    /** The unit of these amounts. */
    public static Unit of(Collection<BigDecimal> amounts) {
        int places = amounts.stream()
                .mapToInt(each -> Math.max(0, each.scale()))
                .max()
                .orElse(0);
        List<BigInteger> numbers = amounts.stream()
                .map(each -> each.movePointRight(places).toBigIntegerExact().abs())
                .toList();
        BigInteger most = numbers.stream().reduce(BigInteger.ZERO, BigInteger::max);
        if (most.bitLength() <= Limbs.BITS) {
            return new Unit(places, BigInteger.ONE, 1);
        }
        BigInteger common = numbers.stream().reduce(BigInteger.ZERO, BigInteger::gcd);
        return new Unit(places, common, Limbs.width(most.divide(common)));
    }

    /** The multiple of an amount that a device or claim takes; exact for the amounts of this unit. */
    public long[] taken(BigDecimal amount) {
        return number(amount, RoundingMode.CEILING);
    }

    /** The multiple of an amount that is left; a rest that no amount of this unit fits into does not count. */
    public long[] available(BigDecimal amount) {
        return number(amount, RoundingMode.FLOOR);
    }

    private long[] number(BigDecimal amount, RoundingMode mode) {
        BigDecimal moved = amount.movePointRight(places);
        BigDecimal whole = multiple.equals(BigInteger.ONE)
                ? moved.setScale(0, mode)
                : moved.divide(new BigDecimal(multiple), 0, mode);
        return Limbs.split(whole.toBigIntegerExact(), width);
    }
}

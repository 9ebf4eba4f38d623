package dev.claimstream.allocation.inventory;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Collection;
import java.util.List;

/**
 * An amount of which all amounts of a counter or capacity are integer multiples.
 *
 * <p>The unit is a power of ten if the multiples fit in one limb of 62 bits; otherwise it is the greatest common divisor, and multiples
 * have as many {@link Limbs} as the largest amount needs. No amount is rounded.
 *
 * @param decimals decimal places of the power of ten
 * @param multiple the unit as a number of these powers of ten
 * @param width limbs per multiple
 */
public record QuantityUnit(int decimals, BigInteger multiple, int width) {
    /** Returns the unit of these amounts. */
    public static QuantityUnit of(Collection<BigDecimal> amounts) {
        int decimals = amounts.stream()
                .mapToInt(each -> Math.max(0, each.scale()))
                .max()
                .orElse(0);
        List<BigInteger> numbers = amounts.stream()
                .map(each -> each.movePointRight(decimals).toBigIntegerExact().abs())
                .toList();
        BigInteger most = numbers.stream().reduce(BigInteger.ZERO, BigInteger::max);
        if (most.bitLength() <= Limbs.BITS) {
            return new QuantityUnit(decimals, BigInteger.ONE, 1);
        }
        BigInteger common = numbers.stream().reduce(BigInteger.ZERO, BigInteger::gcd);
        return new QuantityUnit(decimals, common, Limbs.width(most.divide(common)));
    }

    /** Returns the consumed amount in units, rounded up; exact for the amounts of this unit. */
    public long[] consumed(BigDecimal amount) {
        return number(amount, RoundingMode.CEILING);
    }

    /** Returns the available amount in units, rounded down: a fraction of a unit satisfies no request. */
    public long[] available(BigDecimal amount) {
        return number(amount, RoundingMode.FLOOR);
    }

    private long[] number(BigDecimal amount, RoundingMode mode) {
        BigDecimal moved = amount.movePointRight(decimals);
        BigDecimal whole = multiple.equals(BigInteger.ONE)
                ? moved.setScale(0, mode)
                : moved.divide(new BigDecimal(multiple), 0, mode);
        return Limbs.split(whole.toBigIntegerExact(), width);
    }
}

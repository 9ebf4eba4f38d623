package dev.claimstream.allocation.inventory;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Exact arithmetic on numbers that lie in an array, each as one or several limbs of 62 bits, the highest first.
 *
 * <p>Almost every number has one limb, and then it is an ordinary {@code long}. The lower limbs of a number are never negative; the
 * highest limb has the sign. Operations take the places of limbs in the array, ascending, with all limbs of a number or none.
 */
public final class Limbs {
    /** How many bits a limb has: the sum of two lower limbs and a carry fits into a {@code long}. */
    static final int BITS = 62;

    private static final long BASE = 1L << BITS;
    private static final BigInteger MASK = BigInteger.valueOf(BASE - 1);
    private static final BigInteger TOP_MAX = BigInteger.valueOf(Long.MAX_VALUE);

    private final boolean[] isLower;
    private final boolean areSingle;

    private Limbs(boolean[] isLower, boolean areSingle) {
        this.isLower = isLower;
        this.areSingle = areSingle;
    }

    /** The layout of numbers that have so many limbs each. */
    public static Limbs of(List<Integer> widths) {
        boolean[] isLower =
                new boolean[widths.stream().mapToInt(Integer::intValue).sum()];
        int place = 0;
        for (int width : widths) {
            Arrays.fill(isLower, place + 1, place + width, true);
            place += width;
        }
        return new Limbs(isLower, widths.size() == isLower.length);
    }

    /** The layout of several arrays, one after the other. */
    public static Limbs joined(List<Limbs> parts) {
        boolean[] isLower =
                new boolean[parts.stream().mapToInt(each -> each.isLower.length).sum()];
        int place = 0;
        for (Limbs part : parts) {
            System.arraycopy(part.isLower, 0, isLower, place, part.isLower.length);
            place += part.isLower.length;
        }
        return new Limbs(isLower, parts.stream().allMatch(each -> each.areSingle));
    }

    /** How many limbs a number needs. */
    static int width(BigInteger number) {
        return Math.max(1, (number.bitLength() + BITS - 1) / BITS);
    }

    /** A number as so many limbs; the highest one ends at the end of its range if there are too few. */
    static long[] split(BigInteger number, int width) {
        long[] limbs = new long[width];
        BigInteger rest = number;
        for (int i = width - 1; i > 0; i--) {
            limbs[i] = rest.and(MASK).longValueExact();
            rest = rest.shiftRight(BITS);
        }
        limbs[0] = rest.min(TOP_MAX).max(TOP_MAX.negate()).longValueExact();
        return limbs;
    }

    /** How many limbs the array has. */
    public int size() {
        return isLower.length;
    }

    /** Whether a limb continues the number of the limb before it. */
    public boolean isLower(int place) {
        return isLower[place];
    }

    /** The numbers of an array. */
    public List<BigInteger> values(long[] limbs) {
        List<BigInteger> values = new ArrayList<>();
        for (int i = 0; i < limbs.length; i++) {
            BigInteger limb = BigInteger.valueOf(limbs[i]);
            values.add(isLower[i] ? values.removeLast().shiftLeft(BITS).add(limb) : limb);
        }
        return values;
    }

    /** Returns whether each number at these places is at least as large as its amount. */
    public boolean cover(long[] left, int[] places, long[] amounts) {
        boolean isLarger = false; // a higher limb of the same number decided that
        for (int i = 0; i < places.length; i++) {
            isLarger &= !areSingle && isLower[places[i]];
            if (!isLarger && left[places[i]] < amounts[i]) {
                return false;
            }
            isLarger |= left[places[i]] > amounts[i];
        }
        return true;
    }

    /** Subtracts an amount from each number at these places; a result below the range is the lowest of the range. */
    public void subtract(long[] left, int[] places, long[] amounts) {
        long borrow = 0;
        for (int i = places.length - 1; i >= 0; i--) {
            long before = left[places[i]];
            long after = before - amounts[i] - borrow;
            if (isLower[places[i]]) {
                borrow = after < 0 ? 1 : 0;
                left[places[i]] = after + (borrow << BITS);
            } else {
                borrow = 0;
                left[places[i]] = before < 0 && after > before ? Long.MIN_VALUE : after;
            }
        }
    }

    /** Adds what {@link #subtract} has subtracted from numbers that covered it. */
    public void add(long[] left, int[] places, long[] amounts) {
        long carry = 0;
        for (int i = places.length - 1; i >= 0; i--) {
            long after = left[places[i]] + amounts[i] + carry;
            boolean isOver = isLower[places[i]] && after >= BASE;
            carry = isOver ? 1 : 0;
            left[places[i]] = isOver ? after - BASE : after;
        }
    }
}

package dev.claimstream.allocation.inventory;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Exact arithmetic on numbers stored in a {@code long} array as limbs of 62 bits, highest limb first.
 *
 * <p>Almost every number has one limb, which is an ordinary {@code long}. The lower limbs of a number are never negative; the highest limb
 * carries the sign. Operations take array indexes of limbs in ascending order, with all limbs of a number or none. An instance is the
 * immutable layout of such an array.
 */
public final class Limbs {
    /** Bits per limb. The sum of two lower limbs and a carry fits into a {@code long}. */
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

    /** Returns the layout of numbers with these limb counts. */
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

    /** Returns the layout of several arrays that follow each other in one array. */
    public static Limbs concat(List<Limbs> parts) {
        boolean[] isLower =
                new boolean[parts.stream().mapToInt(each -> each.isLower.length).sum()];
        int place = 0;
        for (Limbs part : parts) {
            System.arraycopy(part.isLower, 0, isLower, place, part.isLower.length);
            place += part.isLower.length;
        }
        return new Limbs(isLower, parts.stream().allMatch(each -> each.areSingle));
    }

    /** Returns how many limbs a number needs. */
    static int width(BigInteger number) {
        return Math.max(1, (number.bitLength() + BITS - 1) / BITS);
    }

    /** Splits a number into limbs. The highest limb saturates if the number does not fit. */
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

    /** Returns the number of limbs in the array. */
    public int size() {
        return isLower.length;
    }

    /** Returns whether a limb continues the number of the limb before it. */
    public boolean isLower(int place) {
        return isLower[place];
    }

    /** Returns the numbers that an array represents. */
    public List<BigInteger> values(long[] limbs) {
        List<BigInteger> values = new ArrayList<>();
        for (int i = 0; i < limbs.length; i++) {
            BigInteger limb = BigInteger.valueOf(limbs[i]);
            values.add(isLower[i] ? values.removeLast().shiftLeft(BITS).add(limb) : limb);
        }
        return values;
    }

    /** Returns whether each number at these indexes is at least as large as its amount. */
    public boolean covers(long[] left, int[] places, long[] amounts) {
        boolean isLarger = false; // decided by a higher limb of the same number
        for (int i = 0; i < places.length; i++) {
            isLarger &= !areSingle && isLower[places[i]];
            if (!isLarger && left[places[i]] < amounts[i]) {
                return false;
            }
            isLarger |= left[places[i]] > amounts[i];
        }
        return true;
    }

    /** Subtracts an amount from each number at these indexes. A result below the range saturates at its minimum. */
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

    /** Adds back amounts that {@link #subtract} has subtracted from numbers that covered them. */
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

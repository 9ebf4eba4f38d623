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
        int index = 0;
        for (int width : widths) {
            Arrays.fill(isLower, index + 1, index + width, true);
            index += width;
        }
        return new Limbs(isLower, widths.size() == isLower.length);
    }

    /** Returns the layout of several arrays that follow each other in one array. */
    public static Limbs concat(List<Limbs> parts) {
        boolean[] isLower =
                new boolean[parts.stream().mapToInt(each -> each.isLower.length).sum()];
        int index = 0;
        for (Limbs part : parts) {
            System.arraycopy(part.isLower, 0, isLower, index, part.isLower.length);
            index += part.isLower.length;
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
    public boolean isLower(int index) {
        return isLower[index];
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
    public boolean covers(long[] remaining, int[] indexes, long[] amounts) {
        boolean isLarger = false; // decided by a higher limb of the same number
        for (int i = 0; i < indexes.length; i++) {
            isLarger &= !areSingle && isLower[indexes[i]];
            if (!isLarger && remaining[indexes[i]] < amounts[i]) {
                return false;
            }
            isLarger |= remaining[indexes[i]] > amounts[i];
        }
        return true;
    }

    /** Subtracts an amount from each number at these indexes. A result below the range saturates at its minimum. */
    public void subtract(long[] remaining, int[] indexes, long[] amounts) {
        long borrow = 0;
        for (int i = indexes.length - 1; i >= 0; i--) {
            long before = remaining[indexes[i]];
            long after = before - amounts[i] - borrow;
            if (isLower[indexes[i]]) {
                borrow = after < 0 ? 1 : 0;
                remaining[indexes[i]] = after + (borrow << BITS);
            } else {
                borrow = 0;
                remaining[indexes[i]] = before < 0 && after > before ? Long.MIN_VALUE : after;
            }
        }
    }

    /** Adds back amounts that {@link #subtract} has subtracted from numbers that covered them. */
    public void add(long[] remaining, int[] indexes, long[] amounts) {
        long carry = 0;
        for (int i = indexes.length - 1; i >= 0; i--) {
            long after = remaining[indexes[i]] + amounts[i] + carry;
            boolean isOver = isLower[indexes[i]] && after >= BASE;
            carry = isOver ? 1 : 0;
            remaining[indexes[i]] = isOver ? after - BASE : after;
        }
    }
}

package dev.claimstream.allocation.inventory;

import java.math.BigDecimal;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * Converts the amounts of one counter to exact integers.
 *
 * <p>Devices fit together by these integers exactly if they fit together by their amounts. A device that consumes a negative amount, or
 * more than the counter declares, has {@link #INFEASIBLE} in its highest limb and fits nowhere.
 *
 * @param available the declared amount
 */
record CounterScale(QuantityUnit unit, BigDecimal available) {
    /** A highest limb that exceeds every declared amount. */
    static final long INFEASIBLE = Long.MAX_VALUE;

    /**
     * Returns the conversion for a counter.
     *
     * @param amounts the amounts that the devices consume
     */
    static CounterScale of(BigDecimal available, Collection<BigDecimal> amounts) {
        List<BigDecimal> possible =
                amounts.stream().filter(each -> isPossible(each, available)).toList();
        return new CounterScale(
                QuantityUnit.of(
                        Stream.concat(possible.stream(), Stream.of(available)).toList()),
                available);
    }

    private static boolean isPossible(BigDecimal amount, BigDecimal available) {
        return amount.signum() >= 0 && amount.compareTo(available) <= 0;
    }

    /** Returns the declared amount; zero if a slice declares a negative amount. */
    long[] total() {
        return unit.available(available.max(BigDecimal.ZERO));
    }

    /** Returns the amount that a device consumes. */
    long[] consumed(BigDecimal amount) {
        if (isPossible(amount, available)) {
            return unit.consumed(amount);
        }
        long[] taken = new long[unit.width()];
        taken[0] = INFEASIBLE;
        return taken;
    }
}

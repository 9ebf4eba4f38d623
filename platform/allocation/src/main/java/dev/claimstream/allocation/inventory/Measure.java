package dev.claimstream.allocation.inventory;

import java.math.BigDecimal;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * The amounts of one counter as exact numbers. Devices fit together by the numbers where they do by the amounts: a device that takes
 * more than there is, or less than nothing, has {@link #TOO_MUCH} in its highest limb, whatever else is there.
 *
 * @param available what there is
 */
record Measure(Unit unit, BigDecimal available) {
    /** A highest limb beyond all that there ever is. */
    static final long TOO_MUCH = Long.MAX_VALUE;

    /**
     * The measure of a counter.
     *
     * @param takings what each device takes of it
     */
    static Measure of(BigDecimal available, Collection<BigDecimal> takings) {
        List<BigDecimal> possible =
                takings.stream().filter(each -> isPossible(each, available)).toList();
        return new Measure(
                Unit.of(Stream.concat(possible.stream(), Stream.of(available)).toList()), available);
    }

    private static boolean isPossible(BigDecimal taken, BigDecimal available) {
        return taken.signum() >= 0 && taken.compareTo(available) <= 0;
    }

    /** What there is, and nothing where a slice declares less than nothing. */
    long[] all() {
        return unit.available(available.max(BigDecimal.ZERO));
    }

    /** What a device takes. */
    long[] taken(BigDecimal amount) {
        if (isPossible(amount, available)) {
            return unit.taken(amount);
        }
        long[] taken = new long[unit.width()];
        taken[0] = TOO_MUCH;
        return taken;
    }
}

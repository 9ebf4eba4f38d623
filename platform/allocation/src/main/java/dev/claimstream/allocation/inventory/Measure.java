package dev.claimstream.allocation.inventory;

import java.math.BigDecimal;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The amounts of one counter as numbers of 64 bits. Devices fit together by the numbers where they do by the amounts: a device that takes
 * more than there is, or less than nothing, has {@link #TOO_MUCH}, whatever else is there, and where the numbers would be too large, what
 * there is counts only up to what can be taken of it. Only where huge and tiny amounts are possible beside each other, {@link Unit}
 * rounds.
 *
 * @param all what there is
 */
record Measure(Unit unit, BigDecimal available, long all) {
    /** More than there ever is. */
    static final long TOO_MUCH = Long.MAX_VALUE;

    /** Access as an administrator needs an amount that somebody has already once more; more often than that in one decision never. */
    private static final BigDecimal AGAIN = BigDecimal.valueOf(1000);

    /**
     * The measure of a counter.
     *
     * @param takings what each device takes of it
     */
    static Measure of(BigDecimal available, Collection<BigDecimal> takings) {
        List<BigDecimal> possible =
                takings.stream().filter(each -> isPossible(each, available)).toList();
        Optional<Unit> exact = Unit.exact(with(possible, available));
        BigDecimal all = exact.isPresent() ? available : available.min(needed(possible));
        Unit unit = exact.orElseGet(() -> Unit.of(with(possible, all)));
        return new Measure(unit, available, Math.clamp(unit.available(all), 0, TOO_MUCH - 1));
    }

    private static List<BigDecimal> with(List<BigDecimal> amounts, BigDecimal another) {
        return Stream.concat(amounts.stream(), Stream.of(another)).toList();
    }

    private static BigDecimal needed(List<BigDecimal> takings) {
        BigDecimal most = takings.stream().reduce(BigDecimal.ZERO, BigDecimal::max);
        return takings.stream().reduce(most.multiply(AGAIN), BigDecimal::add);
    }

    private static boolean isPossible(BigDecimal taken, BigDecimal available) {
        return taken.signum() >= 0 && taken.compareTo(available) <= 0;
    }

    /** What a device takes. */
    long taken(BigDecimal amount) {
        return isPossible(amount, available) ? Math.min(unit.taken(amount), TOO_MUCH - 1) : TOO_MUCH;
    }

    /** What is left after something is taken, which may be more than there was; then no device fits any more. */
    static long left(long before, long taken) {
        long left = before - taken;
        return before < 0 && left > before ? Long.MIN_VALUE : left;
    }
}

package dev.claimstream.allocation.cell;

import java.time.Duration;

/**
 * The work budget of inputs, in units of about 100 ns of one core.
 *
 * <p>Work beyond it is kept as rows and continues with {@link Observation.WorkSliceDue}.
 *
 * @param perInput units per input
 * @param reserveMax units that all inputs together may use beyond their shares in a burst
 * @param reservePerSecond units by which the reserve grows per second of log time
 * @param slice units per {@link Observation.WorkSliceDue}
 */
public record WorkBudget(long perInput, long reserveMax, long reservePerSecond, long slice) {
    /** 0.5 ms per input, bursts of 100 ms, 30 % of a core for bursts, slices of 10 ms. */
    public static final WorkBudget DEFAULT = new WorkBudget(5_000, 1_000_000, 3_000_000, 100_000);

    public WorkBudget {
        requirePositive(perInput, "work per input");
        requirePositive(slice, "work per slice");
        if (reserveMax < 0 || reservePerSecond < 0) {
            throw new IllegalArgumentException(
                    "the reserve of work is %d, growing by %d per second: neither can be negative"
                            .formatted(reserveMax, reservePerSecond));
        }
    }

    private static void requirePositive(long units, String name) {
        if (units <= 0) {
            throw new IllegalArgumentException("%s is %d, it must be positive".formatted(name, units));
        }
    }

    /** The reserve after some log time. */
    long reserve(long before, Duration passed) {
        if (passed.isNegative()) {
            return before;
        }
        if (reservePerSecond == 0) {
            return Math.min(reserveMax, before);
        }
        long millis = passed.compareTo(Duration.ofHours(1)) > 0 ? Long.MAX_VALUE : passed.toMillis();
        boolean isFull = reservePerSecond > Long.MAX_VALUE / Math.max(1, millis)
                || reservePerSecond * millis / 1000 >= reserveMax - before;
        return isFull ? reserveMax : before + reservePerSecond * millis / 1000;
    }
}

package dev.claimstream.console;

import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Waits for the next refresh of explanations by the cell, for a few seconds. The cell refreshes them of its own accord: a question costs
 * it nothing.
 */
final class PresentState {
    /** A refresh is due a second after a change, and ticks come once per second. */
    static final Duration WAIT_MAX = Duration.ofSeconds(3);

    private static final long LOOK_EVERY_MS = 50;

    private PresentState() {}

    /** What is seen once it is current, or after the longest wait. */
    static <T> T of(Supplier<T> seen, Predicate<T> isCurrent) {
        long end = System.nanoTime() + WAIT_MAX.toNanos();
        T now = seen.get();
        while (!isCurrent.test(now) && System.nanoTime() < end) {
            try {
                Thread.sleep(LOOK_EVERY_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return now;
            }
            now = seen.get();
        }
        return now;
    }
}

package dev.claimstream.load.streams;

import java.time.Duration;
import java.util.Locale;

/**
 * The rate exceeds the throughput: claims arrive faster than they are processed.
 *
 * <p>Further results at this rate are meaningless: every claim and delete waits in the queue, so that devices become
 * free too late for new claims.
 *
 * @param after time at this rate until the generator stopped
 * @param inFlight number of claims that were sent and not released by then
 * @param oldest age of the oldest of these claims
 */
public record RateOverload(Duration after, int inFlight, Duration oldest) {
    /** Describes the overload for tables, without the name of the rate. */
    public String text() {
        return String.format(
                Locale.ROOT,
                "not sustained: sending stopped after %.1f s, with %,d claims in flight, the oldest for %.1f s",
                after.toMillis() / 1e3,
                inFlight,
                oldest.toMillis() / 1e3);
    }
}

package dev.claimstream.load.streams;

import java.time.Duration;
import java.util.Locale;

/**
 * Claims pile up faster than they are served. From there on a pace says nothing: every claim and every release waits behind all those before
 * it, so that what is released comes too late for what is asked, and grants fall to the devices that are free by the time in that queue.
 *
 * @param after the time at this pace until no more claims were sent
 * @param underWay claims that were sent and not released by then
 * @param oldest how long the oldest of these had been under way
 */
public record Behind(Duration after, int underWay, Duration oldest) {
    /** For tables, without the name of the pace. */
    public String text() {
        return String.format(
                Locale.ROOT,
                "not held: no more was sent after %.1f s, with %,d claims under way, the oldest for %.1f s",
                after.toMillis() / 1e3,
                underWay,
                oldest.toMillis() / 1e3);
    }
}

package dev.claimstream.watcher;

import java.time.InstantSource;

/**
 * Generates the epochs of lists: increasing numbers, in milliseconds since 1970.
 *
 * <p>Epochs also exceed those of earlier processes, unless the clock is set back. Thread-safe.
 */
final class Epochs {
    private final InstantSource clock;
    private long last;

    Epochs(InstantSource clock) {
        this.clock = clock;
    }

    synchronized long next() {
        last = Math.max(last + 1, clock.millis());
        return last;
    }
}

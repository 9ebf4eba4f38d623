package dev.claimstream.watcher;

import java.time.InstantSource;

/** Numbers for lists: each is higher than those before it, also than those of the processes before this one while the clock goes on. */
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

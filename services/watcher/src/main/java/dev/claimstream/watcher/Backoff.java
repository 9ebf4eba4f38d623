package dev.claimstream.watcher;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** How long to wait before the next try: twice as long each time up to a limit, and by chance up to half of that less. */
final class Backoff {
    private final Duration first;
    private final Duration longest;
    private final RandomGenerator chance;
    private Duration next;

    Backoff(Duration first, Duration longest, RandomGenerator chance) {
        this.first = first;
        this.longest = longest;
        this.chance = chance;
        next = first;
    }

    Duration next() {
        Duration full = next;
        Duration doubled = full.multipliedBy(2);
        next = doubled.compareTo(longest) < 0 ? doubled : longest;
        return full.minusMillis(chance.nextLong(full.toMillis() / 2 + 1));
    }

    /** The same after a time that was named: many that come back at that moment would be too many again. */
    Duration nextAfter(Duration named) {
        return named.plus(next());
    }

    void reset() {
        next = first;
    }
}

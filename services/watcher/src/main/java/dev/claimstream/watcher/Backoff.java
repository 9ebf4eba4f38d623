package dev.claimstream.watcher;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** Exponential backoff with jitter: doubles up to a limit and subtracts up to half at random. Not thread-safe. */
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

    /**
     * Returns the next pause after a time that the cluster requested, so that clients do not return at the same moment.
     */
    Duration nextAfter(Duration named) {
        return named.plus(next());
    }

    void reset() {
        next = first;
    }
}

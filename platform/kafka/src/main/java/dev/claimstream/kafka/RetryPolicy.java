package dev.claimstream.kafka;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/**
 * Exponential backoff: each pause is twice as long as the last one, up to a limit.
 *
 * <p>With jitter, up to half of each pause is subtracted at random, so that clients do not retry at the same moment.
 * Each sequence of retries has its own policy. Not thread-safe.
 */
public final class RetryPolicy {
    private final Duration first;
    private final Duration longest;
    private final Jitter jitter;
    private Duration next;

    private interface Jitter {
        Duration shorten(Duration pause);
    }

    private RetryPolicy(Duration first, Duration longest, Jitter jitter) {
        if (!first.isPositive()) {
            throw new IllegalArgumentException("the first pause is %s: use a positive time".formatted(first));
        }
        this.first = first;
        this.longest = longest;
        this.jitter = jitter;
        next = first;
    }

    /** Returns a policy with exact backoffs; the first is {@code first}, none is above {@code longest}. */
    public static RetryPolicy withoutJitter(Duration first, Duration longest) {
        return new RetryPolicy(first, longest, pause -> pause);
    }

    /** Returns a policy whose backoffs are at most {@code longest}, and at least half as long as without jitter. */
    public static RetryPolicy withJitter(Duration first, Duration longest) {
        return new RetryPolicy(first, longest, pause -> shortened(pause, ThreadLocalRandom.current()));
    }

    /** Returns a policy with the jitter of a generator, which can be deterministic. */
    public static RetryPolicy withJitter(Duration first, Duration longest, RandomGenerator random) {
        return new RetryPolicy(first, longest, pause -> shortened(pause, random));
    }

    private static Duration shortened(Duration pause, RandomGenerator random) {
        return pause.minusMillis(random.nextLong(pause.toMillis() / 2 + 1));
    }

    /** Returns the next pause. */
    public Duration next() {
        Duration full = next;
        Duration doubled = full.multipliedBy(2);
        next = doubled.compareTo(longest) < 0 ? doubled : longest;
        return jitter.shorten(full);
    }

    /** Returns the next pause, or the pause that the server requested if it is longer. */
    public Duration nextAtLeast(Duration requested) {
        Duration pause = next();
        return requested.compareTo(pause) > 0 ? requested : pause;
    }

    /** Returns the next pause in addition to the pause that the server requested. */
    public Duration nextAfter(Duration requested) {
        return requested.plus(next());
    }

    /** Starts again with the first pause, after a success. */
    public void reset() {
        next = first;
    }
}

package dev.claimstream.kafka;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Limits how often a consumer commits its offsets: at once after a quiet time, then at most once per interval.
 *
 * <p>It is for consumers whose work is idempotent: a commit of all partitions costs the broker as much as the records do. Not safe for
 * several threads.
 */
public final class CommitThrottle {
    private static final Duration EVERY = Duration.ofMillis(500);

    private final LongSupplier nanos;
    private final long every;
    private long last;

    /** A limit of one commit per half second. */
    public static CommitThrottle ofHalfSeconds() {
        return new CommitThrottle(System::nanoTime, EVERY);
    }

    /** @param nanos clock in nanoseconds, from any origin */
    CommitThrottle(LongSupplier nanos, Duration every) {
        this.nanos = nanos;
        this.every = every.toNanos();
        last = nanos.getAsLong() - this.every;
    }

    /** Whether a commit is due; if true, the interval starts again. */
    public boolean tryAcquire() {
        long now = nanos.getAsLong();
        if (now - last < every) {
            return false;
        }
        last = now;
        return true;
    }
}

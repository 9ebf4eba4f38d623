package dev.claimstream.kafka;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * When a consumer commits its offsets: at once where it was quiet, and then not more often than every so often. For consumers whose work
 * may be done twice: a commit of all partitions costs the broker as much as the records do. Not for use by several threads.
 */
public final class CommitPace {
    private static final Duration EVERY = Duration.ofMillis(500);

    private final LongSupplier nanos;
    private final long every;
    private long last;

    /** A commit each half second. */
    public static CommitPace ofHalfSeconds() {
        return new CommitPace(System::nanoTime, EVERY);
    }

    /** {@code nanos} tells the time, from any origin. */
    CommitPace(LongSupplier nanos, Duration every) {
        this.nanos = nanos;
        this.every = every.toNanos();
        last = nanos.getAsLong() - this.every;
    }

    /** Whether one is due now; where it is, the next one is not before its time. */
    public boolean take() {
        long now = nanos.getAsLong();
        if (now - last < every) {
            return false;
        }
        last = now;
        return true;
    }
}

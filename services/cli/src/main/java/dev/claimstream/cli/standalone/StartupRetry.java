package dev.claimstream.cli.standalone;

import dev.claimstream.kafka.RetryPolicy;
import dev.claimstream.kubernetes.ClusterFault;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Retries calls to a cluster during startup for a few seconds, with exponential backoff. */
final class StartupRetry {
    /** Short, so that a user who named the wrong cluster sees the error soon. */
    static final Duration DEFAULT_LIMIT = Duration.ofSeconds(4);

    private static final Duration INITIAL_BACKOFF = Duration.ofMillis(250);

    private StartupRetry() {}

    /**
     * Calls until a result is returned.
     *
     * @param limit maximum total time
     * @throws ClusterFault if no call succeeds within the limit, or the server asks for a longer pause
     */
    static <T> T call(Supplier<T> question, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        var backoff = RetryPolicy.withoutJitter(INITIAL_BACKOFF, limit);
        while (true) {
            try {
                return question.get();
            } catch (ClusterFault e) {
                Duration pause = backoff.nextAtLeast(e.retryAfter());
                if (System.nanoTime() + pause.toNanos() - end > 0) {
                    throw e;
                }
                LockSupport.parkNanos(pause.toNanos());
            }
        }
    }
}

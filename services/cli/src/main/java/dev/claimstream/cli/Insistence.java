package dev.claimstream.cli;

import dev.claimstream.kubernetes.ClusterFault;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Retries calls to a cluster during startup for a few seconds, with exponential backoff. */
final class Insistence {
    /** Short, so that a user who named the wrong cluster sees the error soon. */
    static final Duration USUAL = Duration.ofSeconds(4);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(250);

    private Insistence() {}

    /**
     * Calls until a result is returned.
     *
     * @param limit maximum total time
     * @throws ClusterFault if no call succeeds within the limit, or the server asks for a longer pause
     */
    static <T> T ask(Supplier<T> question, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        Duration pause = FIRST_PAUSE;
        while (true) {
            try {
                return question.get();
            } catch (ClusterFault e) {
                Duration next = e.pause().compareTo(pause) > 0 ? e.pause() : pause;
                if (System.nanoTime() + next.toNanos() - end > 0) {
                    throw e;
                }
                LockSupport.parkNanos(next.toNanos());
                pause = pause.multipliedBy(2);
            }
        }
    }
}

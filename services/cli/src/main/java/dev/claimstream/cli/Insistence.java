package dev.claimstream.cli;

import dev.claimstream.kubernetes.ClusterFault;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** A start is not given up for one answer that did not come: a cluster that does not answer is asked again for some seconds. */
final class Insistence {
    /** Whoever named the wrong cluster is to hear of it soon. */
    static final Duration USUAL = Duration.ofSeconds(4);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(250);

    private Insistence() {}

    /**
     * Asks until there is an answer.
     *
     * @throws ClusterFault where there is none in time, or the cluster asks for more than that
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

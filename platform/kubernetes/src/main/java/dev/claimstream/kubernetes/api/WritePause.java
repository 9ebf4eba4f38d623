package dev.claimstream.kubernetes.api;

import java.time.Duration;
import java.util.Optional;

/**
 * A time without writes, in which the watcher lists the cluster and the cells revoke decisions that contradict it. Safe
 * for use by several threads.
 */
final class WritePause {
    private volatile Optional<PausePeriod> period = Optional.empty();

    /** @param untilNanos end of the pause, as {@link System#nanoTime} */
    private record PausePeriod(long untilNanos, String reason) {}

    /** Starts the pause, or starts it again. */
    void start(Duration time, String reason) {
        period = Optional.of(new PausePeriod(
                System.nanoTime() + time.toNanos(),
                "%s: writes wait %d s until its objects are listed again".formatted(reason, time.toSeconds())));
    }

    /** Returns why no write is allowed now; empty if there is no pause. */
    Optional<String> reason() {
        return period.filter(each -> System.nanoTime() - each.untilNanos() < 0).map(PausePeriod::reason);
    }
}

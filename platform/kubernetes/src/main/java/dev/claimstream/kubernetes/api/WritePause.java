package dev.claimstream.kubernetes.api;

import java.time.Duration;
import java.util.Optional;

/**
 * A time without writes, in which the watcher lists the cluster and the cells revoke decisions that contradict it. Safe
 * for use by several threads.
 */
final class WritePause {
    private volatile Optional<Running> running = Optional.empty();

    private record Running(long untilNanos, String reason) {}

    /** Starts the pause, or starts it again. */
    void start(Duration time, String reason) {
        running = Optional.of(new Running(
                System.nanoTime() + time.toNanos(),
                "%s: writes wait %d s until its objects are listed again".formatted(reason, time.toSeconds())));
    }

    /** Returns why no write is allowed now; empty if there is no pause. */
    Optional<String> reason() {
        return running.filter(each -> System.nanoTime() - each.untilNanos() < 0).map(Running::reason);
    }
}

package dev.claimstream.kubernetes.api;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Closes streams that have been idle for too long, because a connection can break without an error. */
final class IdleTimeout implements AutoCloseable {
    /** A server sends a bookmark about every minute on an idle watch. */
    private static final Duration TIMEOUT = Duration.ofSeconds(150);

    private static final long CHECK_INTERVAL_S = 10;

    private final Set<IdleTimer> timers = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("api-silence").factory());

    IdleTimeout() {
        var unused = scheduler.scheduleWithFixedDelay(
                this::expireTimers, CHECK_INTERVAL_S, CHECK_INTERVAL_S, TimeUnit.SECONDS);
    }

    /** Idle timer of one stream. */
    final class IdleTimer implements AutoCloseable {
        private final Runnable onTimeout;
        private volatile long lastActivityNanos = System.nanoTime();

        private IdleTimer(Runnable end) {
            this.onTimeout = end;
        }

        void reset() {
            lastActivityNanos = System.nanoTime();
        }

        @Override
        public void close() {
            timers.remove(this);
        }
    }

    /**
     * Starts a timer.
     *
     * @param end closes the stream
     */
    IdleTimer start(Runnable end) {
        IdleTimer timer = new IdleTimer(end);
        timers.add(timer);
        return timer;
    }

    private void expireTimers() {
        long now = System.nanoTime();
        for (IdleTimer timer : timers) {
            if (now - timer.lastActivityNanos > TIMEOUT.toNanos()) {
                timer.onTimeout.run();
            }
        }
    }

    @Override
    public void close() {
        scheduler.shutdownNow();
    }
}

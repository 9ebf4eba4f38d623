package dev.claimstream.kubernetes.api;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Closes streams that have been idle for too long, because a connection can break without an error. */
final class Silence implements AutoCloseable {
    /** A server sends a bookmark about every minute on an idle watch. */
    private static final Duration SILENT_AFTER = Duration.ofSeconds(150);

    private static final long LOOK_EVERY_S = 10;

    private final Set<Line> lines = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("api-silence").factory());

    Silence() {
        var unused = clock.scheduleWithFixedDelay(this::look, LOOK_EVERY_S, LOOK_EVERY_S, TimeUnit.SECONDS);
    }

    /** Idle timer of one stream. */
    final class Line implements AutoCloseable {
        private final Runnable end;
        private volatile long heardAt = System.nanoTime();

        private Line(Runnable end) {
            this.end = end;
        }

        void heard() {
            heardAt = System.nanoTime();
        }

        @Override
        public void close() {
            lines.remove(this);
        }
    }

    /**
     * Starts a timer.
     *
     * @param end closes the stream
     */
    Line watch(Runnable end) {
        Line line = new Line(end);
        lines.add(line);
        return line;
    }

    private void look() {
        long now = System.nanoTime();
        for (Line line : lines) {
            if (now - line.heardAt > SILENT_AFTER.toNanos()) {
                line.end.run();
            }
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}

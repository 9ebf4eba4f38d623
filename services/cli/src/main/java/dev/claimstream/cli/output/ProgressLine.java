package dev.claimstream.cli.output;

import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;

/** Shows progress on a terminal after one second. In a pipe it prints nothing. */
public final class ProgressLine implements AutoCloseable {
    private static final Duration SHOW_AFTER = Duration.ofSeconds(1);

    private final PrintWriter err;
    private final boolean isTerminal = Terminal.errorIsTerminal();
    private final Thread thread = Thread.ofVirtual().unstarted(this::watch);
    private volatile String message = "";
    private volatile boolean isClosed;

    public ProgressLine(PrintWriter err) {
        this.err = err;
        if (isTerminal) {
            thread.start();
        }
    }

    public void update(String text) {
        message = text;
    }

    private void watch() {
        Instant start = Instant.now();
        boolean shown = false;
        try {
            while (!isClosed) {
                Thread.sleep(Duration.ofMillis(100));
                Duration since = Duration.between(start, Instant.now());
                if (since.compareTo(SHOW_AFTER) > 0 && !isClosed) {
                    shown = true;
                    err.print("\r\033[K%s … %d s".formatted(message, since.toSeconds()));
                    err.flush();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (shown) {
            err.print("\r\033[K");
            err.flush();
        }
    }

    @Override
    public void close() {
        isClosed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package dev.claimstream.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;

/** Shows progress on a terminal after one second. In a pipe it prints nothing. */
final class Progress implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final PrintWriter err;
    private final boolean isTerminal = Terminal.errorIsTerminal();
    private final Thread thread = Thread.ofVirtual().unstarted(this::watch);
    private volatile String what = "";
    private volatile boolean over;

    Progress(PrintWriter err) {
        this.err = err;
        if (isTerminal) {
            thread.start();
        }
    }

    void say(String text) {
        what = text;
    }

    private void watch() {
        Instant start = Instant.now();
        boolean shown = false;
        try {
            while (!over) {
                Thread.sleep(Duration.ofMillis(100));
                Duration since = Duration.between(start, Instant.now());
                if (since.compareTo(PATIENCE) > 0 && !over) {
                    shown = true;
                    err.print("\r\033[K%s … %d s".formatted(what, since.toSeconds()));
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
        over = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

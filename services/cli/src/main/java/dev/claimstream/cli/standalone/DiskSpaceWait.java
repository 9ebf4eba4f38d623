package dev.claimstream.cli.standalone;

import dev.claimstream.cli.folder.DiskSpace;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waits until the disk of the data folder has enough free space, and reports it on the console's port. */
public final class DiskSpaceWait implements AutoCloseable {
    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

    private final Path folder;
    private final DiskSpace diskSpace;
    private final PrintWriter err;
    private final CountDownLatch stop;
    private Optional<MaintenanceConsole> console = Optional.empty();
    private volatile boolean isResolved;

    public DiskSpaceWait(Path folder, DiskSpace diskSpace, PrintWriter err, CountDownLatch stop) {
        this.folder = folder;
        this.diskSpace = diskSpace;
        this.err = err;
        this.stop = stop;
    }

    /** Returns whether the failure was caused by a full disk. */
    public boolean isCausedBy(Throwable thrown) {
        return diskSpace.isCauseOf(thrown);
    }

    /** Prints that the disk is full. */
    public void report() {
        isResolved = diskSpace.isSufficient();
        err.println("claimstream: %s. Nothing that was acknowledged is lost; %s (Ctrl-C ends it)"
                .formatted(isResolved ? reason() : diskSpace.text(), remedy()));
    }

    /** Describes why {@code up} is paused, with the remedy. */
    String text() {
        return "%s: %s".formatted(reason(), remedy());
    }

    private String reason() {
        return isResolved
                ? "the disk of %s was full, and has free space again".formatted(folder)
                : "waiting for free disk space: %s".formatted(diskSpace.text());
    }

    private String remedy() {
        return isResolved
                ? "claimstream restarts as soon as all parts have stopped, within a minute"
                : "free disk space; claimstream continues by itself once %d MB are free"
                        .formatted(diskSpace.neededMb());
    }

    /**
     * Checks the free space, and opens the substitute console as soon as the console's port is free.
     *
     * @param port of the console
     */
    public void check(OptionalInt port) {
        isResolved = diskSpace.isSufficient();
        if (console.isEmpty() && port.isPresent()) {
            console = MaintenanceConsole.open(port.getAsInt(), this::reason, this::remedy);
        }
    }

    /**
     * Returns when the disk has enough free space.
     *
     * @return false if {@code stop} was signalled before
     */
    public boolean await(OptionalInt port) throws InterruptedException {
        for (check(port); !isResolved; check(port)) {
            if (stop.await(CHECK_INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
                return false;
            }
        }
        close();
        if (stop.getCount() == 0) {
            return false;
        }
        err.println("claimstream: free disk space again, %s: restarting".formatted(diskSpace.text()));
        return true;
    }

    /** Closes the substitute console. */
    @Override
    public void close() {
        console.ifPresent(MaintenanceConsole::close);
        console = Optional.empty();
    }
}

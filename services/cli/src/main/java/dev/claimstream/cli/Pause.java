package dev.claimstream.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waits until the disk of the data folder has enough free space, and reports it on the console's port. */
final class Pause implements AutoCloseable {
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    private final Path folder;
    private final Room room;
    private final PrintWriter err;
    private final CountDownLatch stop;
    private Optional<WaitingConsole> console = Optional.empty();
    private volatile boolean isOver;

    Pause(Path folder, Room room, PrintWriter err, CountDownLatch stop) {
        this.folder = folder;
        this.room = room;
        this.err = err;
        this.stop = stop;
    }

    /** Returns whether the failure was caused by a full disk. */
    boolean isFor(Throwable thrown) {
        return room.isMissingFor(thrown);
    }

    /** Prints that the disk is full. */
    void announce() {
        isOver = room.isThere();
        err.println("claimstream: %s. Nothing that was acknowledged is lost; %s (Ctrl-C ends it)"
                .formatted(isOver ? why() : room.text(), remedy()));
    }

    /** Describes why {@code up} is paused, with the remedy. */
    String text() {
        return "%s: %s".formatted(why(), remedy());
    }

    private String why() {
        return isOver
                ? "the disk of %s was full, and there is room again".formatted(folder)
                : "it waits for room: %s".formatted(room.text());
    }

    private String remedy() {
        return isOver
                ? "it starts again as soon as everything has stopped, which takes a minute at most"
                : "make room on it, and it goes on by itself once %d MB are free".formatted(room.neededMb());
    }

    /**
     * Checks the free space, and opens the substitute console as soon as the console's port is free.
     *
     * @param port of the console
     */
    void look(OptionalInt port) {
        isOver = room.isThere();
        if (console.isEmpty() && port.isPresent()) {
            console = WaitingConsole.open(port.getAsInt(), this::why, this::remedy);
        }
    }

    /**
     * Returns when the disk has enough free space.
     *
     * @return false if {@code stop} was signalled before
     */
    boolean await(OptionalInt port) throws InterruptedException {
        for (look(port); !isOver; look(port)) {
            if (stop.await(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS)) {
                return false;
            }
        }
        close();
        if (stop.getCount() == 0) {
            return false;
        }
        err.println("claimstream: there is room again, %s: it starts again".formatted(room.text()));
        return true;
    }

    /** Closes the substitute console. */
    @Override
    public void close() {
        console.ifPresent(WaitingConsole::close);
        console = Optional.empty();
    }
}

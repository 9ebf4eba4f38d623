package dev.claimstream.cli;

import dev.claimstream.kafka.TopicsException;
import dev.claimstream.kafka.broker.BrokerStartException;
import dev.claimstream.kafka.registry.RegistryException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.util.Optional;

/** Exit codes, and what is said where a command fails. */
final class Failures {
    /** All granted. */
    static final int ALL_GRANTED = 0;

    /** An input was bad, or something failed. */
    static final int FAILED = 1;

    /** Some claims wait or are undecided. */
    static final int SOME_WAIT = 3;

    private Failures() {}

    static int say(Throwable thrown, PrintWriter err) {
        switch (thrown) {
            case BrokerStartException e -> err.println("claimstream: " + e.getMessage());
            case RunFailure e -> err.println("claimstream: " + e.getMessage());
            case TopicsException e -> err.println("claimstream: " + e.getMessage());
            case RegistryException e -> err.println("claimstream: " + e.getMessage());
            case IOException e -> err.println("claimstream: " + text(e));
            case UncheckedIOException e ->
                err.println("claimstream: "
                        + Optional.ofNullable(e.getCause()).map(Failures::text).orElse(e.toString()));
            default -> {
                err.println("claimstream: this is a mistake of the program, please report it:");
                thrown.printStackTrace(err);
            }
        }
        return FAILED;
    }

    private static String text(IOException e) {
        return e instanceof FileSystemException file
                ? "%s: %s".formatted(file.getFile(), Folders.reason(file))
                : e.toString();
    }
}

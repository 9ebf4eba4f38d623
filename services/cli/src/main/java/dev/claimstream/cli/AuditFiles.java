package dev.claimstream.cli;

import dev.claimstream.cli.output.RunFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;

/** Reads and writes checkpoints and proofs. */
final class AuditFiles {
    private AuditFiles() {}

    /**
     * Parses a file.
     *
     * @param parser throws an {@link IllegalArgumentException} if the text is invalid
     * @throws RunFailure if the file cannot be read or parsed
     */
    static <T> T read(Path file, String what, Function<String, T> parser) {
        try {
            return parser.apply(Files.readString(file));
        } catch (IOException e) {
            throw new RunFailure("%s cannot be read: name a readable %s".formatted(file, what));
        } catch (IllegalArgumentException e) {
            throw new RunFailure("%s is not a %s: %s".formatted(file, what, e.getMessage()));
        }
    }

    static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

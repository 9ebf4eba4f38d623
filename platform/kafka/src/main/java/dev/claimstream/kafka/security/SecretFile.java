package dev.claimstream.kafka.security;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A file that contains one secret; its text is read at each use and never printed. */
public record SecretFile(Path path) {
    /**
     * The secret, without the line end at its end.
     *
     * @throws IOException if the file cannot be read or is empty
     */
    public String read() throws IOException {
        String text = Files.readString(path).stripTrailing();
        if (text.isEmpty()) {
            throw new IOException(path + " is empty");
        }
        if (text.chars().anyMatch(Character::isISOControl)) {
            throw new IOException(path + " has more than one line"); // and no exception of a client shows the text
        }
        return text;
    }

    /** What is wrong with a file of a secret; empty if it can be read. */
    public static Optional<String> problem(Path file) {
        try {
            var unused = new SecretFile(file).read();
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(
                    "is empty, has more than one line, or cannot be read: name a readable file with the secret");
        }
    }

    @Override
    public String toString() {
        return path.toString();
    }
}

package dev.claimstream.agent.devices;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Reads small kernel files. A file that disappears or cannot be read is an empty result and no error. */
final class TextFiles {
    private static final int BYTES_MAX = 4096;

    private TextFiles() {}

    /** Returns the stripped text of a file, up to 4,096 bytes; empty if it cannot be read or is blank. */
    static Optional<String> read(Path file) {
        return bytes(file)
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8).strip())
                .filter(text -> !text.isEmpty());
    }

    private static Optional<byte[]> bytes(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return Optional.of(in.readNBytes(BYTES_MAX));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}

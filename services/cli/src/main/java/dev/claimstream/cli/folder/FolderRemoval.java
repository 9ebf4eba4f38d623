package dev.claimstream.cli.folder;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Removes folders with their content. */
public final class FolderRemoval {
    private FolderRemoval() {}

    /**
     * Removes a file, or a folder with everything in it.
     *
     * @throws IOException if something cannot be removed; the rest may be removed already
     */
    public static void remove(Path root) throws IOException {
        try (Stream<Path> content = Files.walk(root)) {
            List<Path> deepestFirst = content.sorted(Comparator.reverseOrder()).toList();
            for (Path path : deepestFirst) {
                Files.deleteIfExists(path);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}

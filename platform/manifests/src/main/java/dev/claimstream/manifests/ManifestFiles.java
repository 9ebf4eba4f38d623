package dev.claimstream.manifests;

import dev.claimstream.manifests.ReadOptions.Directories;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Finds the manifest files of a directory by extension, sorted by name, as kubectl does. */
public final class ManifestFiles {
    private static final List<String> EXTENSIONS = List.of(".json", ".yaml", ".yml");

    private ManifestFiles() {}

    /**
     * Returns the manifest files of a directory.
     *
     * @throws IOException if the directory cannot be read
     */
    public static List<Path> of(Path directory, Directories directories) throws IOException {
        int depth = directories == Directories.FLAT ? 1 : Integer.MAX_VALUE;
        try (Stream<Path> paths = Files.walk(directory, depth)) {
            return paths.filter(path -> !Files.isDirectory(path))
                    .filter(ManifestFiles::isManifest)
                    .filter(path -> !isHiddenCopy(directory.relativize(path)))
                    .sorted()
                    .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static boolean isManifest(Path path) {
        String name = path.getFileName().toString();
        return EXTENSIONS.stream().anyMatch(name::endsWith);
    }

    /** Excludes directories with names that begin with two dots. They contain the second copy of a mounted ConfigMap. */
    private static boolean isHiddenCopy(Path path) {
        return path.getName(0).toString().startsWith("..");
    }
}

package dev.claimstream.manifests;

import dev.claimstream.manifests.ReadOptions.Directories;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files of a directory that hold manifests, by their extensions and in the order of their names, as kubectl takes them. */
public final class ManifestFiles {
    private static final List<String> EXTENSIONS = List.of(".json", ".yaml", ".yml");

    private ManifestFiles() {}

    /**
     * The files of a directory.
     *
     * @throws IOException where it cannot be read
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

    /** A mounted ConfigMap keeps its files a second time in a directory whose name begins with two dots. */
    private static boolean isHiddenCopy(Path path) {
        return path.getName(0).toString().startsWith("..");
    }
}

package dev.claimstream.load.services;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The jars of a version of Claimstream, as its build leaves them.
 *
 * @param folder has the jar of the command line, and the folder {@code lib} of all other jars
 */
record ServiceJars(Path folder) {
    private static final String OWN = "claimstream-cli-.*\\.jar";

    /** Returns the jars of this project. */
    static ServiceJars built() {
        return new ServiceJars(ProjectFolder.of("services", "cli", "target"));
    }

    /** Returns whether the folder has the jars. */
    boolean exist() {
        try {
            return !own().isEmpty() && Files.isDirectory(libraries());
        } catch (IOException e) {
            return false;
        }
    }

    String classPath() throws IOException {
        try (Stream<Path> libraries = Files.list(libraries())) {
            return Stream.concat(own().stream(), libraries.sorted())
                    .map(Path::toString)
                    .collect(Collectors.joining(File.pathSeparator));
        }
    }

    private List<Path> own() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().matches(OWN))
                    .toList();
        }
    }

    private Path libraries() {
        return folder.resolve("lib");
    }
}

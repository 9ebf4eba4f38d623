package dev.claimstream.load.services;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        try (Stream<Path> own = own()) {
            return own.findAny().isPresent() && Files.isDirectory(libraries());
        } catch (IOException e) {
            return false;
        }
    }

    String classPath() throws IOException {
        try (Stream<Path> own = own();
                Stream<Path> libraries = Files.list(libraries())) {
            return Stream.concat(own, libraries.sorted())
                    .map(Path::toString)
                    .collect(Collectors.joining(File.pathSeparator));
        }
    }

    private Stream<Path> own() throws IOException {
        return Files.list(folder).filter(file -> file.getFileName().toString().matches(OWN));
    }

    private Path libraries() {
        return folder.resolve("lib");
    }
}

package dev.claimstream.load.services;

import java.nio.file.Files;
import java.nio.file.Path;

/** Folders of the project, from its root folder or from one of its modules. */
final class ProjectFolder {
    private static final String LAUNCHER = "kubectl-claimstream";

    private ProjectFolder() {}

    /** Returns a folder of the project. */
    static Path of(String first, String... more) {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.exists(at.resolve(LAUNCHER))) {
                return at.resolve(Path.of(first, more));
            }
        }
        throw new IllegalStateException("run this program in a folder of the project, which has " + LAUNCHER);
    }
}

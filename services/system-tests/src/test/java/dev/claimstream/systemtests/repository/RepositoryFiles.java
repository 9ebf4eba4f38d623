package dev.claimstream.systemtests.repository;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The files of this repository, without what programs have made. */
final class RepositoryFiles {
    static final Path ROOT = Path.of("..", "..");

    private static final Set<String> EXCLUDED_FOLDERS =
            Set.of(".git", ".claimstream", ".venv", "node_modules", "target");

    private RepositoryFiles() {}

    /** Returns the files whose name has this end, such as {@code .md}. */
    static List<Path> endingWith(String suffix) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return EXCLUDED_FOLDERS.contains(folder.getFileName().toString())
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(suffix)) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }
}

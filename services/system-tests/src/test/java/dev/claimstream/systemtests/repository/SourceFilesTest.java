package dev.claimstream.systemtests.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests names and lengths of the Java files of this repository. */
final class SourceFilesTest {
    private static final int MAIN_LINES_MAX = 400;

    private static final Pattern LONG_TEST_NAME = Pattern.compile("\\bvoid (\\w{61,})\\(");

    /** Names that Java or the launcher of a process determines. */
    private static final Set<String> SHARED_NAMES = Set.of("package-info.java", "Main.java");

    private static List<Path> javaFiles() throws IOException {
        return RepositoryFiles.endingWith(".java");
    }

    @Test
    void nameOfEachTypeIsUnique() throws IOException {
        Map<String, List<Path>> files = javaFiles().stream()
                .filter(file -> !SHARED_NAMES.contains(file.getFileName().toString()))
                .collect(Collectors.groupingBy(file -> file.getFileName().toString()));
        assertThat(files).hasSizeGreaterThan(1_000);
        assertThat(files.values().stream().filter(same -> same.size() > 1))
                .as("types with the same simple name: rename one of them")
                .isEmpty();
    }

    /** Main files are all outside of {@code src/test}, and include the programs of the load tests. */
    @Test
    void mainFilesHaveAtMost400Lines() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path file : javaFiles()) {
            int lines = Files.readAllLines(file).size();
            if (!file.toString().contains("/src/test/") && lines > MAIN_LINES_MAX) {
                tooLong.add("%s: %d lines".formatted(file, lines));
            }
        }
        assertThat(tooLong).as("files to split by purpose").isEmpty();
    }

    @Test
    void testNamesHaveAtMost60Characters() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path file : javaFiles()) {
            if (file.toString().contains("/src/test/")) {
                LONG_TEST_NAME
                        .matcher(Files.readString(file))
                        .results()
                        .forEach(found -> tooLong.add("%s: %s".formatted(file, found.group(1))));
            }
        }
        assertThat(tooLong).as("names of tests to shorten").isEmpty();
    }
}

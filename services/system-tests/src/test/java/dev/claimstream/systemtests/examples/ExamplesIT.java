package dev.claimstream.systemtests.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.CommandResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that {@code claimstream runAll} prints the {@code expected.txt} of each example, which the README repeats. After
 * an intended change, run {@code ./claimstream runAll FOLDER >FOLDER/expected.txt} and review the result.
 */
class ExamplesIT {
    /** Two at once: a run spends most of its time waiting for its broker. */
    private static final int AT_ONCE = 2;

    /** Covered by {@link TestCommandTest} and {@link DashboardTest}. */
    private static final Set<String> NOT_RUN = Set.of(TestCommandTest.SCENARIOS, DashboardTest.FOLDER);

    private static final Map<String, CommandResult> RESULTS = new ConcurrentHashMap<>();

    @BeforeAll
    static void runAll() throws IOException {
        try (var threads = Executors.newFixedThreadPool(AT_ONCE)) {
            folders()
                    .forEach(folder -> threads.execute(
                            () -> RESULTS.put(folder, CommandResult.run("run", CommandResult.example(folder)))));
        }
    }

    private static List<String> all() throws IOException {
        try (Stream<Path> found = Files.list(CommandResult.EXAMPLES)) {
            return found.filter(Files::isDirectory)
                    .map(folder -> folder.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    static List<String> folders() throws IOException {
        return all().stream().filter(folder -> !NOT_RUN.contains(folder)).toList();
    }

    @ParameterizedTest
    @MethodSource("folders")
    void printsExpectedOutput(String folder) throws IOException {
        Path expected = CommandResult.EXAMPLES.resolve(folder).resolve("expected.txt");
        assertThat(expected).as("an example without expectation proves nothing").isRegularFile();
        CommandResult result = Optional.ofNullable(RESULTS.get(folder)).orElseThrow();
        assertThat(result.out()).as(result.err()).isEqualTo(Files.readString(expected));
        boolean someWait = result.out().lines().anyMatch(line -> line.matches("\\S+ +pending .*"));
        assertThat(result.exitCode()).as(result.err()).isEqualTo(someWait ? 3 : 0);
        assertThat(result.err()).doesNotContain("warning");
    }

    @ParameterizedTest
    @MethodSource("folders")
    void readmeShowsCommandAndOutput(String folder) throws IOException {
        String readme = Files.readString(CommandResult.EXAMPLES.resolve(folder).resolve("README.md"));
        assertThat(readme).contains("    ./claimstream run deploy/examples/" + folder + "\n");
        List<String> shown = readme.lines()
                .dropWhile(line -> !line.startsWith("    CLAIM "))
                .takeWhile(line -> line.startsWith("    "))
                .map(String::strip)
                .toList();
        List<String> expected =
                Files.readAllLines(CommandResult.EXAMPLES.resolve(folder).resolve("expected.txt"));
        assertThat(shown).isIn(List.of(), expected.stream().map(String::strip).toList());
    }

    @Test
    void indexListsEveryExample() throws IOException {
        String index = Files.readString(CommandResult.EXAMPLES.resolve("README.md"));
        assertThat(all()).allSatisfy(folder -> assertThat(index).contains("[`" + folder + "`](" + folder + ")"));
    }
}

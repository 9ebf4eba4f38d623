package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Runs every story in {@code src/test/resources/stories}. */
class StoriesTest {
    private static final Path SOURCES = Path.of("src", "test", "resources", "stories");

    private static List<Path> files() throws IOException, URISyntaxException {
        URL folder =
                Optional.ofNullable(StoriesTest.class.getResource("/stories")).orElseThrow();
        try (Stream<Path> files = Files.list(Path.of(folder.toURI()))) {
            return files.filter(file -> file.toString().endsWith(".story"))
                    .sorted()
                    .toList();
        }
    }

    /** The last dynamic test compares the stories that ran with the folder of the sources. */
    @TestFactory
    Stream<DynamicTest> runsEveryStory() throws IOException, URISyntaxException {
        Set<String> started = new TreeSet<>();
        Stream<DynamicTest> stories = files().stream().map(file -> {
            String name = Optional.ofNullable(file.getFileName()).orElseThrow().toString();
            return dynamicTest(name.replace(".story", ""), file.toUri(), () -> {
                started.add(name);
                run(Story.read(name, Files.readAllLines(file)));
            });
        });
        return Stream.concat(
                stories,
                Stream.of(dynamicTest(
                        "every file of the folder ran",
                        () -> assertThat(started).isNotEmpty().isEqualTo(sourceFiles()))));
    }

    private static Set<String> sourceFiles() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> SOURCES.relativize(file).toString())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static void run(Story story) {
        var stage = new CellFixture();
        var actions = new Sentences();
        ItemSentences.addTo(actions, stage);
        TopologySentences.addTo(actions, stage);
        ClusterSentences.addTo(actions, stage);
        DeallocationSentences.addActsTo(actions, stage);
        ObserveOnlySentences.addActsTo(actions, stage);
        var checks = new Sentences();
        DeallocationSentences.addChecksTo(checks, stage);
        ObserveOnlySentences.addChecksTo(checks, stage);
        CheckSentences.addTo(checks, stage);
        for (Story.Clause clause : story.clauses()) {
            try {
                Optional<String> understood = (clause.isCheck() ? checks : actions).execute(clause.text());
                assertThat(understood).as("sentence that is not in the grammar").isPresent();
                if (!clause.isCheck()) {
                    stage.run();
                }
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(
                        "%s:%d: %s%n%s".formatted(story.name(), clause.line(), clause.text(), e.getMessage()), e);
            }
        }
    }
}

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
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Runs every story in {@code src/test/resources/stories}. */
class StoriesTest {
    private static List<Path> files() throws IOException, URISyntaxException {
        URL folder =
                Optional.ofNullable(StoriesTest.class.getResource("/stories")).orElseThrow();
        try (Stream<Path> files = Files.list(Path.of(folder.toURI()))) {
            return files.filter(file -> file.toString().endsWith(".story"))
                    .sorted()
                    .toList();
        }
    }

    @TestFactory
    Stream<DynamicTest> runsEveryStory() throws IOException, URISyntaxException {
        return files().stream().map(file -> {
            String name = Optional.ofNullable(file.getFileName()).orElseThrow().toString();
            return dynamicTest(
                    name.replace(".story", ""), file.toUri(), () -> run(Story.read(name, Files.readAllLines(file))));
        });
    }

    @Test
    void findsStoryFiles() throws IOException, URISyntaxException {
        assertThat(files()).hasSizeGreaterThan(20);
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

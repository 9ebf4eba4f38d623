package dev.claimstream.systemtests.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.CommandResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that commands without side effects print the output that pages show. */
class DocumentedOutputTest {
    private static final String ROOT = "../../";
    private static final List<String> PAGES = List.of(
            "services/cli/README.md",
            "deploy/examples/broken-gpu/README.md",
            "deploy/examples/old-manifests/README.md");
    private static final Pattern COMMAND_OUTPUT =
            Pattern.compile("\n    \\./claimstream ((?:match|evictions|lint) .*)\n\n((?:    .*\n)+)");
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");
    private static final Pattern PATH = Pattern.compile("(deploy|platform)/.*");

    /**
     * A command and its output.
     *
     * @param command as typed in the root of the repository
     */
    record DocumentedCommand(String page, String command, String output) {
        @Override
        public String toString() {
            return page + ": " + command;
        }

        String[] words() {
            List<String> words = new ArrayList<>();
            for (MatchResult word : WORD.matcher(command).results().toList()) {
                String text = word.group(1) == null ? word.group(2) : word.group(1);
                words.add(PATH.matcher(text).matches() ? ROOT + text : text);
            }
            return words.toArray(String[]::new);
        }
    }

    static List<DocumentedCommand> shown() {
        return PAGES.stream().flatMap(DocumentedOutputTest::commandsOf).toList();
    }

    private static Stream<DocumentedCommand> commandsOf(String page) {
        try {
            return COMMAND_OUTPUT
                    .matcher(Files.readString(Path.of(ROOT + page)))
                    .results()
                    .map(found -> new DocumentedCommand(
                            page, found.group(1), found.group(2).replaceAll("(?m)^    ", "")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void pagesShowEveryCommand() {
        assertThat(shown())
                .extracting(each -> each.command.substring(0, each.command.indexOf(' ')))
                .contains("match", "evictions", "lint");
    }

    /** Covers every command of the README, also those with side effects. */
    @Test
    void readmeNamesExistingFiles() throws IOException {
        List<String> words = Files.readAllLines(Path.of(ROOT + "README.md")).stream()
                .filter(line -> line.startsWith("    ./claimstream "))
                .flatMap(line -> WORD.matcher(line).results().map(MatchResult::group))
                .filter(word -> word.endsWith(".yaml") || PATH.matcher(word).matches())
                .toList();
        assertThat(words)
                .hasSizeGreaterThan(5)
                .allSatisfy(word -> assertThat(Path.of(ROOT + word)).exists());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("shown")
    void printsDocumentedOutput(DocumentedCommand shown) {
        CommandResult result = CommandResult.run(shown.words());
        assertThat(result.err()).isEmpty();
        assertThat(result.out().replace(ROOT, "")).isEqualTo(shown.output);
    }
}

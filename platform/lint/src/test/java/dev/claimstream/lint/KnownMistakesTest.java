package dev.claimstream.lint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.source.SourceText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests the most frequent mistakes in published manifests, one folder per mistake. {@code found.txt} has the findings
 * in {@code wrong.yaml}, {@code fixed.yaml} the result of {@code --fix}, and {@code left.txt} the remaining findings.
 * The last two files are absent if {@code --fix} changes nothing or no finding remains.
 */
class KnownMistakesTest {
    private static final Path FOLDER = Path.of("src", "test", "mistakes");
    private static final ManifestLinter LINT = new ManifestLinter(FeatureGates.defaults());

    static List<Path> mistakes() throws IOException {
        try (Stream<Path> folders = Files.list(FOLDER)) {
            return folders.sorted().toList();
        }
    }

    private static String findings(String text) {
        return LINT.check(List.of(SourceText.of("wrong.yaml", text))).stream()
                .map(each -> each + "\n")
                .collect(Collectors.joining());
    }

    private static String text(Path folder, String name) throws IOException {
        Path file = folder.resolve(name);
        return Files.exists(file) ? Files.readString(file) : "";
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mistakes")
    void reportsMistakeWithLocationAndRemedy(Path folder) throws IOException {
        assertThat(text(folder, "found.txt")).isNotEmpty();
        assertThat(findings(text(folder, "wrong.yaml"))).isEqualTo(text(folder, "found.txt"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mistakes")
    void fixesMistake(Path folder) throws IOException {
        String wrong = text(folder, "wrong.yaml");
        LintFixer.FixResult fixed = LintFixer.fix("wrong.yaml", wrong);
        assertThat(fixed.text()).isEqualTo(fixed.isChanged() ? text(folder, "fixed.yaml") : wrong);
        assertThat(findings(fixed.text())).isEqualTo(text(folder, "left.txt"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mistakes")
    void keepsCommentsWhenFixing(Path folder) throws IOException {
        String fixed = LintFixer.fix("wrong.yaml", text(folder, "wrong.yaml")).text();
        assertThat(comments(fixed)).containsAll(comments(text(folder, "wrong.yaml")));
    }

    private static List<String> comments(String text) {
        return text.lines()
                .filter(line -> line.contains("# "))
                .map(line -> line.substring(line.indexOf("# ")))
                .map(comment -> comment.substring(comment.lastIndexOf("# ")))
                .toList();
    }
}

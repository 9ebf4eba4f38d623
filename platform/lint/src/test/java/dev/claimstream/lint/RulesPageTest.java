package dev.claimstream.lint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.source.SourceText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that README lists every rule, and that its examples have the findings and fixes that it documents. */
class RulesPageTest {
    private static final Pattern SECTION = Pattern.compile("(?s)### `([a-z-]+)`\n\n(.*?)(?=\n### |\\z)");
    private static final Pattern EXAMPLE = Pattern.compile("(?s)```yaml\n# (wrong|right)\n(.*?)```");
    private static final ManifestLinter LINT =
            new ManifestLinter(FeatureGates.defaults(), Set.of("managed.example.com"));

    /** A section of README about one rule. */
    record RuleSection(String id, String text) {
        String example(String name) {
            return EXAMPLE.matcher(text)
                    .results()
                    .filter(found -> found.group(1).equals(name))
                    .map(found -> found.group(2))
                    .findFirst()
                    .orElseThrow();
        }

        @Override
        public String toString() {
            return id;
        }
    }

    static List<RuleSection> parseRules() {
        try {
            return SECTION.matcher(Files.readString(Path.of("README.md")))
                    .results()
                    .map(RulesPageTest::parseRules)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static RuleSection parseRules(MatchResult section) {
        return new RuleSection(section.group(1), section.group(2));
    }

    static List<RuleSection> withExamples() {
        return parseRules().stream()
                .filter(each -> !each.id.equals(LintRule.UNREADABLE.id()))
                .toList();
    }

    private static List<String> rules(String text) {
        return LINT.check(List.of(SourceText.of("f.yaml", text))).stream()
                .map(diagnosis -> diagnosis.rule().id())
                .toList();
    }

    @Test
    void documentsEveryRuleWithItsDescription() {
        assertThat(parseRules())
                .extracting(RuleSection::id)
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(LintRule.values()).map(LintRule::id).toList());
        assertThat(parseRules())
                .allSatisfy(each -> assertThat(each.text)
                        .startsWith(LintRule.of(each.id).orElseThrow().description()));
    }

    @Test
    void listsEveryRuleAndItsFixInTables() throws IOException {
        List<String> rows = Files.readString(Path.of("README.md"))
                .lines()
                .filter(line -> line.startsWith("| [`"))
                .toList();
        assertThat(rows)
                .containsExactlyInAnyOrderElementsOf(
                        parseRules().stream().map(RulesPageTest::row).toList());
    }

    private static String row(RuleSection section) {
        return "| [`%1$s`](#%1$s) | %2$s | %3$s |"
                .formatted(
                        section.id,
                        LintRule.of(section.id).orElseThrow().description(),
                        section.text.contains("`--fix`") ? "yes" : "");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("withExamples")
    void detectsWrongExampleAndAcceptsRightExample(RuleSection section) {
        assertThat(rules(section.example("wrong"))).as("wrong").contains(section.id);
        assertThat(rules(section.example("right"))).as("right").isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("withExamples")
    void fixesDocumentedRulesIdempotently(RuleSection section) {
        String wrong = section.example("wrong");
        LintFixer.FixResult fixed = LintFixer.fix("f.yaml", wrong);
        if (section.text.contains("`--fix`")) {
            assertThat(rules(fixed.text())).isEmpty();
        }
        assertThat(LintFixer.fix("f.yaml", fixed.text()).text()).isEqualTo(fixed.text());
        assertThat(LintFixer.fix("f.yaml", section.example("right")).isChanged())
                .isFalse();
    }
}

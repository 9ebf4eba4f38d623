package dev.claimstream.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.KubernetesVersion;
import dev.claimstream.dra.Selector.Match;
import dev.claimstream.manifests.tree.DocumentNode;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.selectors.Evaluation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the page of differences between Kubernetes 1.36 and 1.37, row by row. A row names a scenario, or the reason why
 * it has none. Upstream 1.37 has the expected outcome of the scenario (see {@link SavedScenariosIT}), and upstream 1.36
 * the outcome in its second line.
 */
class ReleaseDifferencesIT {
    private static final Path PAGE = Path.of("DIFFERENCES.md");
    private static final String HEADING = "## 1.36 and 1.37";
    private static final Pattern SCENARIO_NAME = Pattern.compile("`versions/([a-z0-9-]+)`");
    private static final String EXPECTATION_1_36 = "# 1.36: ";

    @Test
    void matchesRecordedOutcomesOfUpstream136() throws IOException {
        List<SavedScenario> saved = SavedScenario.releaseDifferences();
        List<ScenarioDecision> decisions = SavedScenariosIT.decisions(saved, KubernetesVersion.V1_36);
        List<String> wrong = new ArrayList<>();
        for (int i = 0; i < saved.size(); i++) {
            String expected = expectationOf136(saved.get(i));
            if (!matches(decisions.get(i), expected)) {
                wrong.add("%s: 1.36 is said to answer '%s' and answers %s"
                        .formatted(saved.get(i), expected, decisions.get(i)));
            }
        }
        assertThat(saved).isNotEmpty();
        assertThat(wrong).isEmpty();
        assertThat(saved)
                .allSatisfy(each -> assertThat(
                                ExpectationComparison.of(each.scenario(), decisions.get(saved.indexOf(each))))
                        .as("%s: 1.36 agrees with 1.37", each)
                        .isPresent());
    }

    private static String expectationOf136(SavedScenario saved) throws IOException {
        return Files.readAllLines(saved.file()).stream()
                .filter(line -> line.startsWith(EXPECTATION_1_36))
                .map(line -> line.substring(EXPECTATION_1_36.length()))
                .findFirst()
                .orElse("");
    }

    private static boolean matches(ScenarioDecision decision, String expected) {
        return switch (decision) {
            case ScenarioDecision.Allocated _ ->
                expected.equals("fits") || expected.equals("fits, with another result");
            case ScenarioDecision.Pending _ -> expected.equals("does not fit");
            case ScenarioDecision.Failed fails ->
                expected.startsWith("error: ")
                        && fails.messages().getFirst().contains(expected.substring("error: ".length()));
            case ScenarioDecision.BudgetExhausted _ -> false;
        };
    }

    @Test
    void referencesScenarioOrReasonInEveryPageRow() throws IOException {
        List<String> rows = rows();
        assertThat(rows)
                .hasSizeGreaterThan(8)
                .allSatisfy(row ->
                        assertThat(row).containsPattern("`versions/[a-z0-9-]+`|`ReleaseDifferencesIT`|not shown: "));
        List<String> named = rows.stream()
                .flatMap(row -> SCENARIO_NAME.matcher(row).results().map(found -> found.group(1)))
                .toList();
        assertThat(named)
                .containsExactlyInAnyOrderElementsOf(SavedScenario.releaseDifferences().stream()
                        .map(each -> each.scenario().name())
                        .toList());
    }

    private static List<String> rows() throws IOException {
        String page = Files.readString(PAGE);
        return page.substring(page.indexOf(HEADING))
                .lines()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| what"))
                .toList();
    }

    /**
     * Selectors with different results in 1.36 and 1.37: the selector, the result of 1.36, and the result of 1.37 and
     * Claimstream. A number is the cost of an evaluation without an error.
     */
    private static final String SELECTORS = """
            %s | 1 | 48
            %s | cannot be applied to lists longer than 48 values | 49
            "abcdefghijklmnopqrstuvwxyz".startsWith("a") | 3 | 1
            "a".endsWith("abcdefghijklmnopqrstuvwxyz") | 1 | 3
            lists.range(-1) == [] | 11 | lists.range: size must be non-negative, got -1
            lists.range(1000001) == [] | actual cost limit exceeded | lists.range: size 1000001 exceeds maximum allowed (1000000)
            google.protobuf.BoolValue{value: true} | must evaluate to bool or the unknown type, not wrapper(bool) | 40
            google.protobuf.Any{type_url: "x/google.protobuf.Empty"} | CEL runtime error | must evaluate to bool or the unknown type, not google.protobuf.Any
            """.formatted(inclusionInList(48), inclusionInList(49));

    @ParameterizedTest
    @FieldSource("ROWS_OF_SELECTORS")
    void evaluatesSelectorsAsDocumented(String selector, String older, String newer) {
        UpstreamProcess.assumeReady();
        assertThat(upstreamAnswer(KubernetesVersion.V1_36, selector)).contains(older);
        assertThat(upstreamAnswer(KubernetesVersion.V1_37, selector)).contains(newer);
        assertThat(claimstreamAnswer(selector)).contains(newer);
    }

    @ParameterizedTest
    @ValueSource(strings = {"dyn(true)", "[dyn(true)][0]", "{'a': dyn(true)}.a", "true ? dyn(true) : false"})
    void rejectsUnknownTypesIn136WithoutListAttributes(String selector) {
        UpstreamProcess.assumeReady();
        assertThat(upstreamAnswer(KubernetesVersion.V1_36, selector, false))
                .contains("must evaluate to bool or the unknown type, not dyn");
        assertThat(upstreamAnswer(KubernetesVersion.V1_37, selector, false)).containsOnlyDigits();
        assertThat(claimstreamAnswer(selector)).isEqualTo(upstreamAnswer(KubernetesVersion.V1_37, selector, false));
    }

    static final List<Arguments> ROWS_OF_SELECTORS = SELECTORS
            .lines()
            .map(row -> Arguments.of((Object[]) row.split(" \\| ", -1)))
            .toList();

    /** Returns an expression that looks for an absent number in a list of this size. */
    private static String inclusionInList(int others) {
        return IntStream.range(0, others).mapToObj(Integer::toString).collect(Collectors.joining(",", "[", "]"))
                + ".includes(-1)";
    }

    /** Returns the cost of the selector, or its error. */
    private static String upstreamAnswer(KubernetesVersion release, String selector) {
        return upstreamAnswer(release, selector, true);
    }

    private static String upstreamAnswer(KubernetesVersion release, String selector, boolean hasLists) {
        String line = Tree.mapping(fields -> fields.put("name", "selector")
                        .put("expression", selector)
                        .put("driver", "gpu.example.com")
                        .put("features", Tree.mapping(gates -> gates.put("DRAListTypeAttributes", Tree.of(hasLists))))
                        .put("device", Tree.mapping(device -> device.put("name", "gpu-0"))))
                .json();
        try (UpstreamProcess upstream = UpstreamProcess.start(release, "match")) {
            DocumentNode.DocumentMapping answer = upstream.query(List.of(line)).getFirst();
            return answer.text("error").or(() -> answer.text("cost")).orElse("");
        }
    }

    private static String claimstreamAnswer(String selector) {
        Evaluation evaluation = new CelSelectors()
                .evaluate(selector, "gpu.example.com", Device.of("gpu-0", new TreeMap<>(), new TreeMap<>()));
        return evaluation.match() instanceof Match.SelectorError failed
                ? failed.message()
                : Long.toUnsignedString(evaluation.cost());
    }
}

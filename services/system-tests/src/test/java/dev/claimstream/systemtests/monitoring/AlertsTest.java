package dev.claimstream.systemtests.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.CommandResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that each alert of the chart has a duration, a severity, two cases for promtool, and a page in the runbook. */
class AlertsTest {
    private static final Path RUNBOOK = Path.of("..", "..", "deploy", "runbook");
    private static final int ALERTS_MAX = 12;
    private static final List<String> SECTIONS =
            List.of("## Meaning", "## Impact", "## Diagnosis", "## Remedy", "## Verification", "## Tried");
    private static final Pattern COMMAND = Pattern.compile("(?:kubectl|\\./)\\s*claimstream ([a-z-]+)");
    private static final Pattern METRIC = Pattern.compile("\\bclaimstream_[a-z_]+");

    static Stream<ChartRules.AlertRule> alerts() throws IOException {
        return ChartRules.alerts().stream();
    }

    private static String page(ChartRules.AlertRule alert) throws IOException {
        return Files.readString(RUNBOOK.resolve(alert.name() + ".md"));
    }

    @Test
    void hasAtMostTwelveAlertsOfTwoSeverities() throws IOException {
        assertThat(ChartRules.alerts()).hasSizeBetween(2, ALERTS_MAX);
        assertThat(alerts().map(ChartRules.AlertRule::severity).distinct())
                .containsExactlyInAnyOrder("critical", "warning");
    }

    @ParameterizedTest
    @MethodSource("alerts")
    void alertHasDurationSummaryAndPage(ChartRules.AlertRule alert) throws IOException {
        assertThat(alert.duration()).matches("[1-9][0-9]*m");
        assertThat(alert.annotation("summary")).endsWith(".");
        assertThat(alert.annotation("runbook_url")).endsWith("/%s.md".formatted(alert.name()));
        List<String> lines = page(alert).lines().toList();
        assertThat(lines.getFirst()).isEqualTo("# " + alert.name());
        assertThat(lines.stream().filter(line -> line.startsWith("## "))).containsExactlyElementsOf(SECTIONS);
        assertThat(lines)
                .anyMatch(line -> line.contains("severity `%s`".formatted(alert.severity()))
                        && line.contains(
                                "after %s min".formatted(alert.duration().replace("m", ""))));
    }

    @ParameterizedTest
    @MethodSource("alerts")
    void pageNamesExistingCommandsAndMetrics(ChartRules.AlertRule alert) throws IOException {
        String page = page(alert);
        Set<String> commands = CommandResult.run("--help")
                .out()
                .lines()
                .map(line -> line.strip().split(" ", 2)[0])
                .collect(Collectors.toSet());
        assertThat(COMMAND.matcher(page).results().map(found -> found.group(1))).isSubsetOf(commands);
        String metrics = Files.readString(Path.of("..", "METRICS.md"));
        assertThat(METRIC.matcher(page).results().map(MatchResult::group).map(AlertsTest::withoutSuffix))
                .allSatisfy(name -> assertThat(metrics).contains("| `%s` |".formatted(name)));
    }

    private static String withoutSuffix(String name) {
        return name.replaceFirst("_(bucket|sum|count)$", "");
    }

    @Test
    void runbookHasNoPageOfAnotherAlert() throws IOException {
        try (Stream<Path> files = Files.list(RUNBOOK)) {
            Set<String> pages = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("Claimstream"))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(pages)
                    .isEqualTo(
                            alerts().map(alert -> alert.name() + ".md").collect(Collectors.toCollection(TreeSet::new)));
        }
        String index = Files.readString(RUNBOOK.resolve("README.md"));
        assertThat(alerts())
                .allSatisfy(alert -> assertThat(index).contains("[`%1$s`](%1$s.md)".formatted(alert.name())));
    }

    /** {@code .ci/chart} runs the cases. */
    @ParameterizedTest
    @MethodSource("alerts")
    void alertHasCaseThatFiresAndCaseThatDoesNot(ChartRules.AlertRule alert) throws IOException {
        Map<?, ?> cases =
                ChartRules.map(ChartRules.parse(Files.readString(ChartRules.CHART.resolve("ci/alerts/cases.yaml"))));
        List<Integer> expected = ChartRules.list(cases.get("tests")).stream()
                .map(ChartRules::map)
                .filter(each -> each.get("alert_rule_test") != null)
                .flatMap(each -> ChartRules.list(each.get("alert_rule_test")).stream())
                .map(ChartRules::map)
                .filter(each -> alert.name().equals(each.get("alertname")))
                .map(each -> ChartRules.list(each.get("exp_alerts")).size())
                .toList();
        assertThat(expected).contains(0).anyMatch(count -> count > 0);
    }
}

package dev.claimstream.systemtests.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.observability.AllocatorMeter;
import dev.claimstream.observability.Meter;
import dev.claimstream.observability.MeterLabel;
import dev.claimstream.observability.MeterType;
import dev.claimstream.observability.ProcessMeter;
import dev.claimstream.systemtests.monitoring.Dashboards;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests layout, variables and legends of the dashboards, and that they query only existing metrics and labels: Claimstream's meters, and
 * the metrics of exporters. {@code PrometheusIT} evaluates the queries.
 */
final class DashboardTest {
    static final String FOLDER = "dashboard";

    private static final Path EXPORTERS = Path.of(
            "..", "agent", "src", "main", "resources", "dev", "claimstream", "agent", "telemetry", "metrics.txt");

    /** Metrics of TPUs and MIG instances, which the agent does not read. */
    private static final Set<String> MORE_EXPORTERS =
            Set.of("duty_cycle_node", "memory_used_node", "DCGM_FI_PROF_GR_ENGINE_ACTIVE");

    private static final Set<String> OF_PROCESS =
            Set.of("jvm_memory_used_bytes", "process_cpu_usage", "process_uptime_seconds");

    private static final Set<Meter> NOT_SHOWN = Set.of(
            AllocatorMeter.SNAPSHOT_HASH, // exists after the first snapshot only; load-tests/integrity measures it
            ProcessMeter.BROKER_REJECTED, // of the broker in up; in a cluster Kafka has these metrics
            ProcessMeter.BROKER_CUT);

    private static final int COLUMNS = 24;
    private static final Pattern LEGEND_LABEL = Pattern.compile("\\{\\{(\\w+)}}");
    private static final Pattern TEXT = Pattern.compile("\"[^\"]*\"");
    private static final Pattern MATCHERS = Pattern.compile("(\\w+)\\{([^}]*)}");
    private static final Pattern GROUPS = Pattern.compile("\\b(?:by|on) \\(([^)]*)\\)");
    private static final Pattern LABEL = Pattern.compile("(\\w+)(?:=|!)");
    private static final Pattern NAME = Pattern.compile("(?<![\\w.$])[A-Za-z_]\\w*");
    private static final Set<String> WORDS = Set.of(
            "sum",
            "avg",
            "max",
            "count",
            "topk",
            "clamp_min",
            "label_replace",
            "sum_over_time",
            "increase",
            "rate",
            "histogram_quantile",
            "group_left",
            "or",
            "and");

    static List<String> queries() {
        return Dashboards.read().stream()
                .flatMap(board -> board.panels().stream())
                .flatMap(panel -> panel.targets().stream())
                .map(Dashboards.Target::expression)
                .toList();
    }

    /** Returns the metrics of a query, without keywords, labels and durations. */
    private static Set<String> metrics(String query) {
        String bare = TEXT.matcher(query).replaceAll("");
        bare = GROUPS.matcher(bare.replaceAll("\\{[^}]*}", "").replaceAll("\\[[^]]*]", ""))
                .replaceAll("");
        Set<String> names = NAME.matcher(bare).results().map(MatchResult::group).collect(Collectors.toSet());
        names.removeAll(WORDS);
        return names;
    }

    /** Returns the names of the time series as Prometheus shows them. */
    private static Stream<String> series(Meter meter) {
        String name = meter.prometheusName();
        return meter.type() == MeterType.HISTOGRAM
                ? Stream.of("_bucket", "_sum", "_count").map(name::concat)
                : Stream.of(name);
    }

    private static Set<String> exporterMetrics() {
        try (Stream<String> lines = Files.lines(EXPORTERS)) {
            return Stream.concat(
                            MORE_EXPORTERS.stream(),
                            lines.filter(line -> line.matches("\\w.*")).map(line -> line.split(" ", 2)[0]))
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<String> labels(Meter meter) {
        Set<String> labels = meter.labels().stream().map(MeterLabel::text).collect(Collectors.toSet());
        if (meter.type() == MeterType.HISTOGRAM) {
            labels.add("le");
        }
        return labels;
    }

    @ParameterizedTest
    @MethodSource("queries")
    void queriesUseExistingMetricsAndLabels(String query) {
        Set<String> asked = new TreeSet<>(metrics(query));
        assertThat(asked).as("metrics of a query").isNotEmpty();
        Set<String> labels = new HashSet<>(Set.of("instance"));
        for (Meter meter : Meter.all()) {
            if (series(meter).anyMatch(asked::contains)) {
                labels.addAll(labels(meter));
                MATCHERS.matcher(query)
                        .results()
                        .filter(found -> series(meter).anyMatch(found.group(1)::equals))
                        .forEach(found -> assertThat(
                                        LABEL.matcher(found.group(2)).results().map(label -> label.group(1)))
                                .as(found.group())
                                .isSubsetOf(labels(meter)));
            }
        }
        asked.removeAll(Meter.all().stream().flatMap(DashboardTest::series).collect(Collectors.toSet()));
        asked.removeAll(exporterMetrics());
        asked.removeAll(OF_PROCESS);
        assertThat(asked).as("metrics that no service and no exporter has").isEmpty();
        boolean isOfExportersAlone = labels.size() == 1;
        GROUPS.matcher(query)
                .results()
                .flatMap(found -> Stream.of(found.group(1).split(", *")))
                .forEach(label -> assertThat(isOfExportersAlone || labels.contains(label))
                        .as("label %s of %s", label, query)
                        .isTrue());
    }

    /** The legend of a series can only show labels that its query keeps. */
    @Test
    void legendsNameLabelsOfTheirQueries() {
        for (Dashboards.Board board : Dashboards.read()) {
            board.panels().stream().flatMap(panel -> panel.targets().stream()).forEach(target -> {
                Set<String> kept = GROUPS.matcher(target.expression())
                        .results()
                        .flatMap(found -> Stream.of(found.group(1).split(", *")))
                        .collect(Collectors.toSet());
                kept.add("instance");
                assertThat(LEGEND_LABEL.matcher(target.legend()).results().map(found -> found.group(1)))
                        .as(target.toString())
                        .isSubsetOf(kept);
            });
        }
    }

    /** Grafana has 24 columns, which are 60 pixels wide on a page of 1,440. */
    @Test
    void panelsDoNotOverlapAndAreReadable() {
        for (Dashboards.Board board : Dashboards.read()) {
            List<Dashboards.Panel> panels = board.panels();
            assertThat(panels).as(board.file()).hasSizeGreaterThan(8);
            assertThat(panels.stream().map(Dashboards.Panel::id))
                    .as(board.file())
                    .doesNotHaveDuplicates();
            for (Dashboards.Panel panel : panels) {
                String what = board.file() + ": " + panel;
                assertThat(panel.x()).as(what).isNotNegative();
                assertThat(panel.x() + panel.width()).as(what).isLessThanOrEqualTo(COLUMNS);
                assertThat(panel.width()).as(what).isGreaterThanOrEqualTo(4);
                assertThat(panel.title()).as(what).isNotBlank().hasSizeLessThanOrEqualTo(14 * panel.width() / 2);
                assertThat(panels.stream().filter(other -> other.id() != panel.id() && panel.overlaps(other)))
                        .as(what)
                        .isEmpty();
            }
            int below = panels.stream()
                    .mapToInt(each -> each.y() + each.height())
                    .max()
                    .orElseThrow();
            for (int y = 0; y < below; y++) {
                int row = y;
                assertThat(panels.stream().filter(each -> each.y() <= row && row < each.y() + each.height()))
                        .as("%s: empty row %d", board.file(), y)
                        .isNotEmpty();
            }
        }
    }

    @Test
    void boardsHaveTheirVariablesAndLinksToTheConsole() throws IOException {
        List<Dashboards.Board> boards = Dashboards.read();
        assertThat(boards)
                .extracting(Dashboards.Board::uid)
                .containsExactlyInAnyOrder(
                        "claimstream-accelerators",
                        "claimstream-fleet",
                        "claimstream-latency",
                        "claimstream-namespace",
                        "claimstream-pipeline",
                        "claimstream-usage");
        for (Dashboards.Board board : boards) {
            Set<String> variables =
                    board.variables().stream().map(Dashboards.Variable::name).collect(Collectors.toSet());
            assertThat(variables).as(board.file()).contains("datasource", "console");
            String text = Files.readString(Dashboards.FOLDER.resolve(board.file()));
            assertThat(text).contains("\"url\": \"${console}/");
            for (Dashboards.Variable variable : board.variables()) {
                assertThat(text).as(variable.toString()).containsPattern("\\$\\{?" + variable.name() + "\\b");
            }
        }
    }

    /** Every metric is on a dashboard, or named here with the reason. */
    @Test
    void boardsShowEveryMeterOnceNamed() {
        Set<String> shown =
                queries().stream().flatMap(query -> metrics(query).stream()).collect(Collectors.toSet());
        assertThat(Meter.all().stream()
                        .filter(meter -> series(meter).noneMatch(shown::contains))
                        .collect(Collectors.toSet()))
                .isEqualTo(NOT_SHOWN);
    }

    /** Returns the metrics that {@code claimstream up} exposes from its start. */
    static Set<String> metricsOfUp() {
        Set<String> asked =
                queries().stream().flatMap(query -> metrics(query).stream()).collect(Collectors.toSet());
        asked.retainAll(Meter.all().stream()
                .filter(Meter::isAlwaysPresent)
                .flatMap(DashboardTest::series)
                .collect(Collectors.toSet()));
        return asked;
    }
}

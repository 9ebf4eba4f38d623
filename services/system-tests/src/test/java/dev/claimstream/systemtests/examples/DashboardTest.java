package dev.claimstream.systemtests.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.observability.Meter;
import dev.claimstream.observability.MeterType;
import dev.claimstream.systemtests.process.CommandResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
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
 * Tests that the example dashboard queries only existing metrics and labels. These are Claimstream's meters, and the
 * metrics of the exporters that the agent reads.
 */
final class DashboardTest {
    static final String FOLDER = "dashboard";

    private static final Path EXPORTERS = Path.of(
            "..", "agent", "src", "main", "resources", "dev", "claimstream", "agent", "telemetry", "metrics.txt");
    private static final Pattern QUERY = Pattern.compile("\"expr\": \"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern LEGEND =
            Pattern.compile("\"expr\": \"((?:[^\"\\\\]|\\\\.)*)\",\\s*\"legendFormat\": \"([^\"]*)\"");
    private static final Pattern LEGEND_LABEL = Pattern.compile("\\{\\{(\\w+)}}");
    private static final Pattern MATCHERS = Pattern.compile("\\{[^}]*}");
    private static final Pattern GROUPS = Pattern.compile("\\bby \\(([^)]*)\\)");
    private static final Pattern LABEL = Pattern.compile("(\\w+)(?:=|!)");
    private static final Pattern NAME = Pattern.compile("(?<![\\w.])[A-Za-z_]\\w*");
    private static final Set<String> WORDS = Set.of("sum", "avg", "or", "rate", "histogram_quantile");

    static List<String> queries() throws IOException {
        return Stream.concat(
                        QUERY.matcher(readFile("accelerators.json"))
                                .results()
                                .map(found -> found.group(1).replace("\\\"", "\"")),
                        readFile("README.md").lines().filter(line -> line.matches(" {4}\\w+.*\\(.*claimstream_.*")))
                .map(String::strip)
                .toList();
    }

    private static String readFile(String file) throws IOException {
        return Files.readString(CommandResult.EXAMPLES.resolve(FOLDER).resolve(file));
    }

    /** Returns the metrics of a query, without keywords, labels and durations. */
    private static Set<String> metrics(String query) {
        String bare = GROUPS.matcher(MATCHERS.matcher(query).replaceAll(""))
                .replaceAll("")
                .replaceAll("\\[\\w+]", "");
        Set<String> names = NAME.matcher(bare).results().map(MatchResult::group).collect(Collectors.toSet());
        names.removeAll(WORDS);
        return names;
    }

    private static Set<String> labels(String query) {
        Set<String> labels = new HashSet<>();
        MATCHERS.matcher(query)
                .results()
                .flatMap(found -> LABEL.matcher(found.group()).results())
                .forEach(found -> labels.add(found.group(1)));
        GROUPS.matcher(query)
                .results()
                .forEach(found -> labels.addAll(List.of(found.group(1).split(", *"))));
        return labels;
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
            return lines.filter(line -> line.matches("\\w.*"))
                    .map(line -> line.split(" ", 2)[0])
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("queries")
    void queriesUseExistingMetricsAndLabels(String query) {
        Set<String> asked = new TreeSet<>(metrics(query));
        assertThat(asked).as("metrics of a query").isNotEmpty();
        Set<String> labels = new HashSet<>();
        for (Meter meter : Meter.values()) {
            if (series(meter).anyMatch(asked::contains)) {
                meter.labels().forEach(label -> labels.add(label.text()));
                if (meter.type() == MeterType.HISTOGRAM) {
                    labels.add("le");
                }
            }
        }
        asked.removeAll(
                Arrays.stream(Meter.values()).flatMap(DashboardTest::series).collect(Collectors.toSet()));
        asked.removeAll(exporterMetrics());
        assertThat(asked).as("metrics that nobody shows").isEmpty();
        assertThat(labels).containsAll(labels(query));
    }

    /** The legend of a series can only show labels that its query keeps. */
    @Test
    void legendsNameLabelsOfTheirQueries() throws IOException {
        List<MatchResult> legends =
                LEGEND.matcher(readFile("accelerators.json")).results().toList();
        assertThat(legends).hasSizeGreaterThan(10);
        for (MatchResult each : legends) {
            List<String> kept = GROUPS.matcher(each.group(1))
                    .results()
                    .flatMap(found -> Stream.of(found.group(1).split(", *")))
                    .toList();
            assertThat(LEGEND_LABEL.matcher(each.group(2)).results().map(found -> found.group(1)))
                    .as(each.group())
                    .isSubsetOf(kept);
        }
    }

    @Test
    void containsQueriesOfClaimstreamAndExporters() throws IOException {
        Set<String> asked =
                queries().stream().flatMap(query -> metrics(query).stream()).collect(Collectors.toSet());
        assertThat(asked)
                .contains("claimstream_devices", "claimstream_claims", "DCGM_FI_DEV_GPU_UTIL")
                .hasSizeGreaterThan(15);
    }

    /** Returns the metrics that {@code claimstream up} exposes after the first decision. */
    static Set<String> metricsOfUp() throws IOException {
        Set<String> asked =
                queries().stream().flatMap(query -> metrics(query).stream()).collect(Collectors.toSet());
        asked.removeAll(exporterMetrics());
        return asked;
    }
}

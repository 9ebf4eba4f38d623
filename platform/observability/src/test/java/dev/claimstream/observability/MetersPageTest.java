package dev.claimstream.observability;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests that {@code services/METRICS.md} is generated from {@link Meter} and the meters of the JVM. */
final class MetersPageTest {
    private static final Path PAGE = Path.of("..", "..", "services", "METRICS.md");

    /** System property that writes the page instead of comparing it. */
    private static final String WRITE = "metrics.page.write";

    @Test
    void pageListsExactlyTheMeters() throws IOException {
        if (Boolean.getBoolean(WRITE)) {
            Files.writeString(PAGE, page());
        }
        assertThat(Files.exists(PAGE) ? Files.readString(PAGE) : "")
                .as("services/METRICS.md is stale: ./claimstream mvn -pl platform/observability -am test"
                        + " -Dtest=MetersPageTest -Dsurefire.failIfNoSpecifiedTests=false -D%s=true writes it"
                                .formatted(WRITE))
                .isEqualTo(page());
    }

    @Test
    void namesEndWithBaseUnitOrTotal() {
        for (Meter meter : Meter.all()) {
            String name = meter.prometheusName();
            assertThat(name).matches("claimstream(_[a-z]+)+").doesNotContainPattern("millis|micros|_ms|_kb|_mb");
            assertThat(name.endsWith("_total")).as(name).isEqualTo(meter.type() == MeterType.COUNTER);
            if (meter.facts().unit().equals("seconds") || meter.facts().unit().equals("bytes")) {
                assertThat(name)
                        .matches(".*_%s(_total)?".formatted(meter.facts().unit()));
            }
            assertThat(meter.facts().meaning()).as(name).matches("[A-Z0-9].*\\.");
        }
    }

    private static String page() {
        return """
                # Metrics

                Every metric that the services expose at `/metrics`. This page is generated from `Meter` and `MeterLabel` in
                [`observability`](../platform/observability/README.md); `MetersPageTest` compares it and says how to write it, and
                `PrometheusIT` compares it with running services.

                - Names and base units are those of Prometheus: seconds and bytes, `_total` for counters.
                - A metric exists from the start of its process, with the value 0, unless the column *exists* says otherwise.
                - *Label sets* is the maximum in one cluster. A histogram has %d series per label set, any other metric one.
                - A histogram also has a gauge `NAME_max`: the longest time of the last three minutes.
                - Names of drivers, classes, namespaces and products are open. A gauge with such a label has at most %,d rows
                  (`claimstream_device_info`: %,d); the rest is added up as `(other)`.
                - The [alerts](../deploy/runbook/README.md) and the [dashboards](../deploy/examples/dashboard/README.md) use only
                  these metrics, and those of the vendors' exporters.
                - No metric has a label of pods. Only `claimstream_device_info` has labels of devices and claims.

                | metric | type | unit | labels | label sets | services | exists | meaning |
                |---|---|---|---|---|---|---|---|
                %s

                Gauges of claims, queue and devices count the state of the cells of one process. Add them up over several processes.
                They are updated at most once per second, and less often if counting takes long: it uses at most half a percent of
                a cell's time. Times of two machines (decision and commit) include the difference of their clocks.

                Each console counts the devices and claims of the whole cluster, once it has read the topics. With several
                consoles use `max by (…)`. One reading of the state serves a scrape; readings take at most a twentieth of the
                time, so a large state is read less often.

                ## Number of series

                A cluster of 1,250 nodes and 40,000 devices of one driver, with 4 products, 10 node pools, 50 namespaces and
                2,500 claims, half of them allocated (`UsageMetersTest` counts them in a console):

                | metrics | series per console |
                |---|---|
                | `claimstream_node_pool_devices`, `claimstream_namespace_devices`, `claimstream_namespace_claims`, `claimstream_namespace_pending_seconds` | 490 |
                | `claimstream_device_info`, off by default | 40,000 |

                The number does not depend on the number of devices, claims and pods, except for `claimstream_device_info`: a
                series per device, or per claim of a shared device. A changed holder begins a new series.

                ## Labels

                | label | of | values | at most |
                |---|---|---|---|
                %s

                Every device counts once, in the first state that applies:

                | state | meaning |
                |---|---|
                | *lost* | allocated, and its pool no longer publishes it |
                | *allocated* | a claim has it |
                | *unusable* | its node is unknown, not ready or silent, or its pool is incomplete or invalid; a device that several nodes can reach counts as usable |
                | *tainted* | it is allocated only to a claim that tolerates the taint |
                | *free* | any other device |

                A double allocation (kind `conflict`) counts as an alarm once the same claims have had the device for
                `claimstream.allocator.alarm-grace`. The ledger has every double allocation from its start.

                ## Metrics of the JVM

                Every service has them. The names are those of Micrometer.

                | metric | type | meaning |
                |---|---|---|
                %s
                """.formatted(
                Meters.BUCKETS.size() + 4, // and +Inf, _sum, _count, _max
                Meters.ROWS_MAX,
                Meters.DEVICES_MAX,
                Meter.all().stream().map(MetersPageTest::row).collect(Collectors.joining("\n")),
                Arrays.stream(MeterLabel.values()).map(MetersPageTest::row).collect(Collectors.joining("\n")),
                String.join("\n", jvmRows()));
    }

    private static String row(Meter meter) {
        return "| `%s` | %s | %s | %s | %,d | %s | %s | %s |"
                .formatted(
                        meter.prometheusName(),
                        meter.type().text(),
                        meter.facts().unit(),
                        meter.labels().isEmpty()
                                ? "–"
                                : meter.labels().stream().map(MeterLabel::text).collect(Collectors.joining(", ")),
                        meter.labelSetsMax(),
                        meter.facts().source().text(),
                        meter.facts().presence(),
                        meter.facts().meaning());
    }

    private static String row(MeterLabel label) {
        return "| `%s` | %s | %s | %,d |"
                .formatted(
                        label.text(),
                        Meter.all().stream()
                                .filter(meter -> meter.labels().contains(label))
                                .map(meter -> "`%s`".formatted(meter.prometheusName()))
                                .collect(Collectors.joining(", ")),
                        label.valuesText(),
                        label.valuesMax());
    }

    /** Returns the metrics of a process without services, by their TYPE and HELP lines. */
    private static List<String> jvmRows() {
        var types = new TreeMap<String, String>();
        var meanings = new TreeMap<String, String>();
        new Meters().text().lines().map(line -> line.split(" ", 4)).forEach(words -> {
            if (words[0].equals("#")) {
                (words[1].equals("TYPE") ? types : meanings).put(words[2], words.length > 3 ? words[3] : "");
            }
        });
        List<String> rows = new ArrayList<>();
        types.forEach(
                (name, type) -> rows.add("| `%s` | %s | %s |".formatted(name, type, meanings.getOrDefault(name, ""))));
        assertThat(meanings.keySet()).as("metrics with HELP").containsAll(types.keySet());
        return rows;
    }
}

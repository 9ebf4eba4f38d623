package dev.claimstream.systemtests.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.Topics;
import dev.claimstream.observability.Meter;
import dev.claimstream.observability.MeterLabel;
import dev.claimstream.observability.MeterType;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.workload.ClusterManifests;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real Prometheus scrapes {@code claimstream up} and texts in the formats of the vendors' exporters, which are no
 * recordings. It evaluates the rules of the chart, with shortened durations, and all queries of the dashboards.
 */
@Tag("part-4")
@Timeout(300)
class PrometheusIT {
    private static final Path EXPORTERS =
            Path.of("..", "agent", "src", "test", "resources", "dev", "claimstream", "agent", "telemetry");
    private static final Pattern HISTOGRAM_SUFFIX = Pattern.compile("_(bucket|sum|count|max)$");
    private static final Set<String> JVM_PREFIXES = Set.of("jvm", "process", "system");

    /** Devices that cannot be allocated; there are none before the outage. */
    private static final String ONLY_IN_FAULT = "claimstream_devices{state=~\"tainted|unusable|lost\"}";

    private static final Set<MeterLabel> MAY_BE_EMPTY = EnumSet.of(
            MeterLabel.PENDING_REASON,
            MeterLabel.PRODUCT,
            MeterLabel.UUID,
            MeterLabel.PARENT_UUID,
            MeterLabel.PROFILE,
            MeterLabel.SERIAL,
            MeterLabel.INDEX,
            MeterLabel.REQUESTED_CLASS,
            MeterLabel.CLAIM_NAMESPACE,
            MeterLabel.CLAIM);

    /** Metrics of Neuron that its text lacks. */
    private static final String MORE_OF_NEURON = """
            neuroncore_memory_usage_model_code{neuroncore="0"} 1
            neuroncore_memory_usage_model_shared_scratchpad{neuroncore="0"} 1
            neuroncore_memory_usage_runtime_memory{neuroncore="0"} 1
            """;

    @TempDir
    private Path folder = Path.of("");

    @BeforeAll
    static void assumePrometheus() {
        PrometheusProgram.assumeInstalled();
    }

    @Test
    void alertsAndDashboardFollowRunningSystem() throws IOException, InterruptedException, ExecutionException {
        Path data = folder.resolve("data");
        Path cluster = Files.writeString(
                folder.resolve("cluster.yaml"),
                Outage.cluster() + Outage.allocatedClaim("adopted", 199) + VendorCluster.manifests());
        List<HttpServer> exporters = new ArrayList<>();
        try (Program up = Program.start(
                folder,
                Map.of(
                        "CLAIMSTREAM_ARCHIVE_FOLDER",
                        folder.resolve("archive").toString(),
                        "CLAIMSTREAM_SHADOW_ENABLED",
                        "true",
                        "CLAIMSTREAM_SHADOW_POLICY",
                        "first-fit",
                        "CLAIMSTREAM_CONSOLE_DEVICE_METRICS",
                        "true"),
                "dev.claimstream.cli.Main",
                "up",
                "--with",
                "history",
                "--data",
                data.toString(),
                "-f",
                cluster.toString())) {
            up.awaitOut("Ctrl-C ends it");
            Endpoint at = DataFolder.publishedEndpoint(data).orElseThrow();
            Map<String, String> targets =
                    new TreeMap<>(Map.of("claimstream", at.console().getAuthority()));
            for (String exporter : List.of("dcgm", "amd", "gaudi", "neuron", "tpu")) {
                HttpServer server = serve(
                        switch (exporter) {
                            case "tpu" -> VendorCluster.TPU;
                            case "neuron" -> exporterText(exporter) + "\n" + MORE_OF_NEURON;
                            case "dcgm" -> VendorCluster.withMig(exporterText(exporter));
                            default -> exporterText(exporter);
                        });
                exporters.add(server);
                targets.put(exporter, "127.0.0.1:" + server.getAddress().getPort());
            }
            try (var prometheus = PrometheusProgram.start(
                    folder.resolve("prometheus"), ChartRules.shortenedText(), targets, VendorCluster.NODES)) {
                Program.await(() -> prometheus.query("up == 1").size() == targets.size(), "a scrape of each target");
                apply(data, ClusterManifests.usedClaim("first", 1) + ClusterManifests.usedClaim("too-large", 500));
                assertPageListsMetricsOf(prometheus);
                assertNamesFollowConventions(at);
                askHistory(at);
                assertEveryQueryHasData(prometheus);
                assertExportersAreJoinedToClaims(prometheus);
                prometheus.awaitOnly();
                assertNodeOutageMakesOneAlert(prometheus, data);
                assertFaultsOfDevicesAndRecordsMakeAlerts(prometheus, data, at);
            }
        } finally {
            exporters.forEach(each -> each.stop(0));
        }
    }

    private static String exporterText(String exporter) throws IOException {
        return Files.readString(EXPORTERS.resolve(exporter + ".txt"));
    }

    private static HttpServer serve(String metrics) throws IOException {
        byte[] text = metrics.getBytes(StandardCharsets.UTF_8);
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/metrics", exchange -> {
            try (exchange) {
                exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
                exchange.sendResponseHeaders(200, text.length);
                exchange.getResponseBody().write(text);
            }
        });
        server.start();
        return server;
    }

    private void apply(Path data, String manifests) throws IOException {
        CommandResult.apply(folder, data, manifests);
    }

    /** Asks a question through the console: the time of answers is NaN without one. */
    private static void askHistory(Endpoint at) throws InterruptedException {
        Program.await(
                () -> {
                    try {
                        var connection = (HttpURLConnection) at.console()
                                .resolve("/api/v1/past/usage?by=namespace")
                                .toURL()
                                .openConnection();
                        return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                "an answer of the history");
    }

    // ---- the page of metrics

    /** Compares names, types, labels and bounds with what Prometheus has scraped. */
    private static void assertPageListsMetricsOf(PrometheusProgram prometheus)
            throws IOException, InterruptedException {
        Set<String> always = Meter.all().stream()
                .filter(Meter::isAlwaysPresent)
                .map(Meter::prometheusName)
                .collect(Collectors.toCollection(TreeSet::new));
        Program.await(() -> names(prometheus).containsAll(always), "the metrics " + always);
        Set<String> listed = Files.readAllLines(Path.of("..", "METRICS.md")).stream()
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.substring(3, line.indexOf('`', 3)))
                .collect(Collectors.toSet());
        assertThat(listed).containsAll(names(prometheus));
        assertThat(listed.stream().filter(name -> JVM_PREFIXES.contains(name.split("_", 2)[0])))
                .isNotEmpty()
                .allSatisfy(name -> assertThat(names(prometheus)).contains(name));
        for (Meter meter : Meter.all()) {
            assertLabels(prometheus, meter);
        }
        assertThat(prometheus.types())
                .containsAllEntriesOf(Meter.all().stream()
                        .filter(Meter::isAlwaysPresent)
                        .collect(Collectors.toMap(
                                Meter::prometheusName, meter -> meter.type().text())));
    }

    /** {@code promtool} complains only about a metric of Micrometer. */
    private void assertNamesFollowConventions(Endpoint at) throws IOException {
        Path text = folder.resolve("metrics.txt");
        try (var body = at.console().resolve("/metrics").toURL().openStream()) {
            Files.copy(body, text);
        }
        assertThat(PrometheusProgram.lint(text)).singleElement().asString().startsWith("system_cpu_count ");
    }

    /** Prometheus drops a label whose value is empty. */
    private static void assertLabels(PrometheusProgram prometheus, Meter meter) {
        Set<String> declared = meter.labels().stream().map(MeterLabel::text).collect(Collectors.toSet());
        Set<String> always = meter.labels().stream()
                .filter(label -> !MAY_BE_EMPTY.contains(label))
                .map(MeterLabel::text)
                .collect(Collectors.toSet());
        String suffix = meter.type() == MeterType.HISTOGRAM ? "_count" : "";
        List<PrometheusProgram.Sample> series = prometheus.query(meter.prometheusName() + suffix);
        assertThat(series).as(meter.prometheusName()).hasSizeLessThanOrEqualTo((int) meter.labelSetsMax());
        for (PrometheusProgram.Sample each : series) {
            assertThat(each.labels().keySet())
                    .as(meter.prometheusName())
                    .containsAll(always)
                    .isSubsetOf(union(declared, Set.of("__name__", "instance", "job")));
        }
    }

    private static Set<String> union(Set<String> some, Set<String> others) {
        Set<String> all = new TreeSet<>(some);
        all.addAll(others);
        return all;
    }

    private static Set<String> names(PrometheusProgram prometheus) {
        Set<String> histograms = Meter.all().stream()
                .filter(meter -> meter.type() == MeterType.HISTOGRAM)
                .map(Meter::prometheusName)
                .collect(Collectors.toSet());
        return prometheus.query("group by (__name__) ({job=\"claimstream\",__name__!~\"up|scrape_.*\"})").stream()
                .map(each -> String.valueOf(each.labels().get("__name__")))
                .map(name -> histograms.stream()
                        .filter(histogram ->
                                HISTOGRAM_SUFFIX.matcher(name).replaceFirst("").equals(histogram))
                        .findFirst()
                        .orElse(name))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    // ---- queries

    /** Every variable and every query of all dashboards has data, and every metric that a rule uses exists. */
    private static void assertEveryQueryHasData(PrometheusProgram prometheus) throws IOException, InterruptedException {
        int queries = 0;
        for (Dashboards.Board board : Dashboards.read()) {
            Map<String, String> values = new TreeMap<>();
            for (Dashboards.Variable variable : board.variables()) {
                if (variable.type().equals("query")) {
                    values.put(variable.name(), valueOf(variable, prometheus));
                }
            }
            for (Dashboards.Panel panel : board.panels()) {
                for (Dashboards.Target target : panel.targets()) {
                    String query = Dashboards.substitute(target.expression(), values);
                    Program.await(
                            () -> hasData(prometheus, query),
                            "data for %s, panel %s: %s".formatted(board.file(), panel.title(), query));
                    queries++;
                }
            }
        }
        assertThat(queries).isGreaterThan(100);
        for (String expression : ChartRules.expressions()) {
            prometheus.query(expression); // fails if Prometheus rejects it
            for (String metric : Pattern.compile("claimstream_[a-z_]+|claimstream:[a-z0-9_:]+")
                    .matcher(expression)
                    .results()
                    .map(found -> found.group())
                    .collect(Collectors.toSet())) {
                Program.await(() -> !prometheus.query(metric).isEmpty(), "data for " + metric);
            }
        }
    }

    private static boolean hasData(PrometheusProgram prometheus, String query) {
        List<PrometheusProgram.Sample> samples = prometheus.query(query);
        return !samples.isEmpty()
                && samples.stream().noneMatch(each -> each.value().equals("NaN"));
    }

    /** Returns what Grafana selects first: all values, or the first in order. */
    private static String valueOf(Dashboards.Variable variable, PrometheusProgram prometheus)
            throws InterruptedException {
        String expression = variable.expression();
        Program.await(() -> !prometheus.query(expression).isEmpty(), "values of " + variable);
        return variable.hasAll()
                ? ".*"
                : prometheus.query(expression).stream()
                        .map(each -> String.valueOf(each.labels().get(variable.label())))
                        .sorted()
                        .findFirst()
                        .orElseThrow();
    }

    /** The dashboard of all vendors shows for each claim what the exporter of its vendor reports of its devices. */
    private static void assertExportersAreJoinedToClaims(PrometheusProgram prometheus) {
        Map<String, Double> found = new TreeMap<>();
        Dashboards.read().stream()
                .flatMap(board -> board.panels().stream())
                .filter(panel -> panel.title().equals("Utilisation by claim"))
                .flatMap(panel -> panel.targets().stream())
                .map(target ->
                        Dashboards.substitute(target.expression(), Map.of("claim_namespace", ".*", "node", ".*")))
                .flatMap(query -> prometheus.query(query).stream())
                .forEach(each -> found.put(
                        each.labels().get("claim_namespace") + "/"
                                + each.labels().get("claim"),
                        Math.rint(10 * Double.parseDouble(each.value())) / 10));
        assertThat(found).containsExactlyInAnyOrderEntriesOf(VendorCluster.UTILIZATION);
    }

    // ---- faults

    /** An outage of 100 nodes makes one alert, which ends with the outage. */
    private void assertNodeOutageMakesOneAlert(PrometheusProgram prometheus, Path data)
            throws IOException, InterruptedException {
        apply(data, Outage.nodes(0, Outage.FAILED_NODES, false));
        prometheus.awaitOnly("ClaimstreamDevicesUnusable");
        assertThat(prometheus.query(ONLY_IN_FAULT)).isNotEmpty();
        Program.await(
                () -> prometheus.query("sum(claimstream_devices{state=\"unusable\"})").stream()
                        .anyMatch(each -> Double.parseDouble(each.value()) > Outage.FAILED_NODES - 2),
                "the unusable devices of all nodes that failed");
        prometheus.awaitOnly("ClaimstreamDevicesUnusable");
        apply(data, Outage.nodes(0, Outage.FAILED_NODES, true));
        prometheus.awaitOnly();
    }

    private void assertFaultsOfDevicesAndRecordsMakeAlerts(PrometheusProgram prometheus, Path data, Endpoint at)
            throws IOException, InterruptedException, ExecutionException {
        apply(data, Outage.allocatedClaim("second", 199));
        prometheus.awaitOnly("ClaimstreamDeviceConflict");
        assertThat(CommandResult.run("delete", "pod", "second", "--data", data.toString())
                        .exitCode())
                .isZero();
        assertThat(CommandResult.run("delete", "resourceclaim", "second", "--data", data.toString())
                        .exitCode())
                .isZero();
        prometheus.awaitOnly();
        apply(data, Outage.slice(199, 2, ""));
        prometheus.awaitOnly("ClaimstreamDeviceLost");
        apply(data, Outage.slice(199, 3, "{name: gpu-0}"));
        prometheus.awaitOnly();
        var properties = KafkaConnection.plain(at.bootstrap()).properties();
        try (var producer = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(
                            Topics.CLAIMS,
                            "key".getBytes(StandardCharsets.UTF_8),
                            "text".getBytes(StandardCharsets.UTF_8)))
                    .get();
        }
        prometheus.awaitOnly("ClaimstreamBadRecords{topic=claims.v1}");
    }
}

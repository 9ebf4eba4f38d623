package dev.claimstream.systemtests.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.claimstream.systemtests.process.FreePorts;
import dev.claimstream.systemtests.process.Program;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;

/** A Prometheus that scrapes targets every two seconds and evaluates rules every second. */
public final class PrometheusProgram implements AutoCloseable {
    private static final String NAME = "prometheus";
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Process process;
    private final String address;
    private final Path log;

    private PrometheusProgram(Process process, String address, Path log) {
        this.process = process;
        this.address = address;
        this.log = log;
    }

    /** A sample of an instant query: labels without the name, and the value. */
    public record Sample(Map<String, String> labels, String value) {}

    /** Skips the test if Prometheus is missing; fails with {@code CI} in the environment. */
    public static void assumeInstalled() {
        String message = "NOT TRIED: scrapes and alerts of a real Prometheus. Install it: apt-get install prometheus";
        boolean isInstalled = Pattern.compile(Pattern.quote(File.pathSeparator))
                .splitAsStream(System.getenv().getOrDefault("PATH", ""))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, NAME)));
        if (!isInstalled && System.getenv("CI") == null) {
            System.err.println(message);
        }
        assertThat(isInstalled || System.getenv("CI") == null).as(message).isTrue();
        assumeTrue(isInstalled, message);
    }

    /**
     * Starts Prometheus and waits until it is ready.
     *
     * @param rules in the form of Prometheus
     * @param targets {@code host:port} of each job
     */
    public static PrometheusProgram start(Path folder, String rules, Map<String, String> targets)
            throws IOException, InterruptedException {
        return start(folder, rules, targets, Map.of());
    }

    /**
     * Starts Prometheus as {@link #start(Path, String, Map)} does, and labels the series of some jobs with their node.
     *
     * @param nodes the node of a job
     */
    static PrometheusProgram start(Path folder, String rules, Map<String, String> targets, Map<String, String> nodes)
            throws IOException, InterruptedException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("rules.yaml"), rules);
        var config = new StringBuilder("""
                global: {scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 1s}
                rule_files: [rules.yaml]
                scrape_configs:
                """);
        targets.forEach((job, target) -> config.append("- {job_name: '%s', static_configs: [{targets: ['%s']%s}]}%n"
                .formatted(
                        job,
                        target,
                        nodes.containsKey(job) ? ", labels: {node: '%s'}".formatted(nodes.get(job)) : "")));
        Path file = Files.writeString(folder.resolve("prometheus.yaml"), config);
        Path log = folder.resolve("prometheus.log");
        String listen = "127.0.0.1:" + FreePorts.of(1).getFirst();
        Process process = new ProcessBuilder(
                        NAME,
                        "--config.file=" + file,
                        "--storage.tsdb.path=" + folder.resolve("data"),
                        "--web.listen-address=" + listen)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        var started = new PrometheusProgram(process, "http://" + listen, log);
        Program.await(() -> started.code("/-/ready") == HttpURLConnection.HTTP_OK, "a ready Prometheus", PATIENCE);
        return started;
    }

    /** Returns what {@code promtool check metrics} says about a text of metrics. */
    static List<String> lint(Path metrics) throws IOException {
        Process process = new ProcessBuilder("promtool", "check", "metrics")
                .redirectErrorStream(true)
                .redirectInput(metrics.toFile())
                .start();
        try (InputStream said = process.getInputStream()) {
            return new String(said.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
    }

    private HttpURLConnection connection(String path) throws IOException {
        return (HttpURLConnection) URI.create(address + path).toURL().openConnection();
    }

    private int code(String path) {
        try {
            return connection(path).getResponseCode();
        } catch (IOException e) {
            return 0;
        }
    }

    private Map<?, ?> data(String path) {
        try {
            HttpURLConnection connection = connection(path);
            boolean isGood = connection.getResponseCode() == HttpURLConnection.HTTP_OK;
            try (InputStream body = isGood ? connection.getInputStream() : connection.getErrorStream()) {
                String text = new String(body.readAllBytes(), StandardCharsets.UTF_8);
                assertThat(isGood).as("%s: %s", path, text).isTrue();
                return ChartRules.map(ChartRules.map(ChartRules.parse(text)).get("data"));
            }
        } catch (IOException e) {
            throw new AssertionError("%s%s: %s; %s".formatted(address, path, e, log()), e);
        }
    }

    String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Evaluates an expression now. A scalar is a sample without labels. */
    public List<Sample> query(String expression) {
        Map<?, ?> data = data("/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8));
        List<?> result = ChartRules.list(data.get("result"));
        List<Sample> samples = new ArrayList<>();
        for (Object each : result) {
            Map<?, ?> sample = ChartRules.map(each);
            Map<String, String> labels = new TreeMap<>();
            ChartRules.map(sample.get("metric"))
                    .forEach((name, value) -> labels.put(String.valueOf(name), String.valueOf(value)));
            samples.add(new Sample(
                    labels, String.valueOf(ChartRules.list(sample.get("value")).getLast())));
        }
        return samples;
    }

    /** Returns the type of each metric, as the TYPE lines of the targets say. */
    Map<String, String> types() {
        Map<String, String> types = new TreeMap<>();
        ChartRules.map(data("/api/v1/metadata")).forEach((name, entries) -> {
            for (Object entry : ChartRules.list(entries)) {
                types.put(
                        String.valueOf(name),
                        String.valueOf(ChartRules.map(entry).get("type")));
            }
        });
        return types;
    }

    /** Returns the firing alerts, sorted: the name, and the label that distinguishes several of one name. */
    List<String> firingAlerts() {
        var found = new TreeSet<String>();
        for (Object each : ChartRules.list(data("/api/v1/alerts").get("alerts"))) {
            Map<?, ?> alert = ChartRules.map(each);
            if ("firing".equals(alert.get("state"))) {
                Map<String, String> labels = new TreeMap<>();
                ChartRules.map(alert.get("labels"))
                        .forEach((name, value) -> labels.put(String.valueOf(name), String.valueOf(value)));
                String name = labels.remove("alertname");
                labels.remove("severity");
                found.add(labels.isEmpty() ? name : name + labels);
            }
        }
        return List.copyOf(found);
    }

    /** Waits until all these alerts fire. */
    public void awaitFiring(String... names) throws InterruptedException {
        await(() -> firingAlerts().containsAll(List.of(names)), "alerts " + List.of(names));
    }

    /** Waits until exactly these alerts fire. */
    public void awaitOnly(String... names) throws InterruptedException {
        await(() -> firingAlerts().equals(List.of(names)), "only the alerts " + List.of(names));
    }

    private void await(BooleanSupplier reached, String what) throws InterruptedException {
        try {
            Program.await(reached, what, PATIENCE);
        } catch (AssertionError e) {
            throw new AssertionError("%s; firing: %s".formatted(e.getMessage(), firingAlerts()), e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}

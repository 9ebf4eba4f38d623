package dev.claimstream.systemtests.monitoring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The rules of the Helm chart for one cell, from the snapshot that {@code .ci/chart} compares with what Helm renders. */
public final class ChartRules {
    static final Path CHART = Path.of("..", "..", "deploy", "helm", "claimstream");

    private static final Path SNAPSHOT = CHART.resolve("ci/snapshots/tls-mtls.yaml");
    private static final String KIND = "kind: PrometheusRule\n";

    private ChartRules() {}

    /** A rule that fires an alert. */
    record AlertRule(
            String name, String expression, String duration, String severity, Map<?, ?> labels, Map<?, ?> annotations) {
        String annotation(String key) {
            return String.valueOf(annotations.get(key));
        }
    }

    /** Returns the rules in the form of Prometheus. */
    static String text() throws IOException {
        String document = Stream.of(Files.readString(SNAPSHOT).split("\n---\n", -1))
                .filter(each -> each.contains(KIND))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no PrometheusRule in " + SNAPSHOT));
        return document.substring(document.indexOf("\nspec:\n") + "\nspec:\n".length())
                .replaceAll("(?m)^ {2}", "");
    }

    /**
     * Returns the rules with durations of seconds: an alert fires after one second, and rates cover a few scrapes. All
     * other parts, thresholds included, are unchanged.
     */
    public static String shortenedText() throws IOException {
        return text().replaceAll("for: \\d+m", "for: 1s")
                .replace("[5m]", "[10s]")
                .replace("[1h]", "[15s]")
                .replace("[15m]", "[15s]");
    }

    /** Returns the alerts in their order. */
    static List<AlertRule> alerts() throws IOException {
        List<AlertRule> found = new ArrayList<>();
        for (Map<?, ?> rule : rules()) {
            if (rule.get("alert") != null) {
                Map<?, ?> labels = map(rule.get("labels"));
                found.add(new AlertRule(
                        String.valueOf(rule.get("alert")),
                        String.valueOf(rule.get("expr")),
                        String.valueOf(rule.get("for")),
                        String.valueOf(labels.get("severity")),
                        labels,
                        map(rule.get("annotations"))));
            }
        }
        return found;
    }

    /** Returns the expressions of all rules, recording rules included. */
    static List<String> expressions() throws IOException {
        return rules().stream().map(rule -> String.valueOf(rule.get("expr"))).toList();
    }

    private static List<Map<?, ?>> rules() throws IOException {
        List<Map<?, ?>> found = new ArrayList<>();
        for (Object group : list(map(parse(text())).get("groups"))) {
            for (Object rule : list(map(group).get("rules"))) {
                found.add(map(rule));
            }
        }
        return found;
    }

    /** Parses YAML or JSON. */
    static Object parse(String text) {
        return new Yaml(new SafeConstructor(new LoaderOptions())).load(text);
    }

    static Map<?, ?> map(@Nullable Object node) {
        if (node instanceof Map<?, ?> fields) {
            return fields;
        }
        throw new AssertionError("no mapping: " + node);
    }

    static List<?> list(@Nullable Object node) {
        if (node instanceof List<?> elements) {
            return elements;
        }
        throw new AssertionError("no sequence: " + node);
    }
}

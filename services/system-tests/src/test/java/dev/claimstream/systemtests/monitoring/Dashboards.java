package dev.claimstream.systemtests.monitoring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The dashboards of the Helm chart. */
public final class Dashboards {
    /** Where they are, seen from this module. */
    public static final Path FOLDER = ChartRules.CHART.resolve("dashboards");

    private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((.+), (\\w+)\\)");

    private Dashboards() {}

    /** A dashboard. */
    public record Board(String file, String uid, String title, List<Panel> panels, List<Variable> variables) {}

    /** A panel with its place in a grid of 24 columns. Rows have no targets. */
    public record Panel(int id, String type, String title, int x, int y, int width, int height, List<Target> targets) {
        /** Returns whether the panels cover a common place. */
        public boolean overlaps(Panel other) {
            return x < other.x + other.width
                    && other.x < x + width
                    && y < other.y + other.height
                    && other.y < y + height;
        }
    }

    /** An expression with the pattern of its legend, which is empty without one. */
    public record Target(String expression, String legend) {}

    /**
     * A variable.
     *
     * @param query what its values come from; empty unless Prometheus has them
     */
    public record Variable(String name, String type, String query, boolean hasAll) {
        /** Returns an expression whose series have the values of the variable as {@link #label}. */
        String expression() {
            return "count by (%s) (%s)".formatted(label(), parts().group(1));
        }

        /** Returns the label whose values are those of the variable. */
        String label() {
            return parts().group(2);
        }

        private Matcher parts() {
            Matcher parts = LABEL_VALUES.matcher(query);
            if (!parts.matches()) {
                throw new AssertionError("variable %s: %s is not label_values(METRIC, LABEL)".formatted(name, query));
            }
            return parts;
        }
    }

    /** Returns all dashboards, by file name. */
    public static List<Board> read() {
        try (var files = Files.list(FOLDER)) {
            List<Board> boards = new ArrayList<>();
            for (Path file : files.sorted().toList()) {
                boards.add(
                        board(file.getFileName().toString(), ChartRules.map(ChartRules.parse(Files.readString(file)))));
            }
            return boards;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Board board(String file, Map<?, ?> json) {
        return new Board(
                file,
                text(json, "uid"),
                text(json, "title"),
                ChartRules.list(json.get("panels")).stream()
                        .map(each -> panel(ChartRules.map(each)))
                        .toList(),
                ChartRules.list(ChartRules.map(json.get("templating")).get("list")).stream()
                        .map(each -> variable(ChartRules.map(each)))
                        .toList());
    }

    private static Panel panel(Map<?, ?> json) {
        Map<?, ?> place = ChartRules.map(json.get("gridPos"));
        return new Panel(
                number(json, "id"),
                text(json, "type"),
                text(json, "title"),
                number(place, "x"),
                number(place, "y"),
                number(place, "w"),
                number(place, "h"),
                json.get("targets") == null
                        ? List.of()
                        : ChartRules.list(json.get("targets")).stream()
                                .map(ChartRules::map)
                                .map(each -> new Target(text(each, "expr"), text(each, "legendFormat")))
                                .toList());
    }

    private static Variable variable(Map<?, ?> json) {
        return new Variable(
                text(json, "name"),
                text(json, "type"),
                json.get("query") instanceof Map<?, ?> query ? text(query, "query") : "",
                Boolean.TRUE.equals(json.get("includeAll")));
    }

    private static int number(Map<?, ?> json, String field) {
        if (json.get(field) instanceof Integer number) {
            return number;
        }
        throw new AssertionError("no number %s in %s".formatted(field, json));
    }

    private static String text(Map<?, ?> json, String field) {
        return json.get(field) instanceof String text ? text : "";
    }

    /** Returns an expression as Grafana sends it: variables and its own intervals are replaced. */
    static String substitute(String expression, Map<String, String> values) {
        String result = expression.replace("$__rate_interval", "5m").replace("$__range", "2m");
        for (Map.Entry<String, String> each :
                new TreeMap<>(values).descendingMap().entrySet()) {
            result = result.replace("$" + each.getKey(), each.getValue());
        }
        if (Pattern.compile("\\$[a-z_]").matcher(result).find()) {
            throw new AssertionError("unknown variable in " + result);
        }
        return result;
    }
}

package dev.claimstream.systemtests.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that the dashboards follow what Grafana documents of the JSON model, that a reader can understand each panel without its query, and
 * that links open views and filters which the console page has.
 *
 * @see <a href="https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/">JSON model</a>
 */
class DashboardImportTest {
    private static final Path PAGE = Path.of("..", "console", "src", "main", "resources", "page");
    private static final Map<?, ?> SOURCE = Map.of("type", "prometheus", "uid", "${datasource}");
    private static final Set<String> TYPES =
            Set.of("row", "stat", "timeseries", "bargauge", "table", "heatmap", "alertlist");

    /** Units of Grafana that the dashboards use. */
    private static final Set<String> UNITS =
            Set.of("short", "percent", "percentunit", "s", "h", "bytes", "watt", "cps");

    private static final Pattern UID = Pattern.compile("[a-zA-Z0-9_-]{1,40}");
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{?([A-Za-z_]\\w*)");
    private static final Pattern CONSOLE = Pattern.compile("\\$\\{console}/(?:#/([a-z-]*)([^?]*)(?:\\?(.*))?)?");
    private static final Pattern FILTER = Pattern.compile("\\{ name: '(\\w+)', label: ");

    static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(Dashboards.FOLDER)) {
            return files.sorted().toList();
        }
    }

    private static Map<?, ?> read(Path file) throws IOException {
        return ChartRules.map(ChartRules.parse(Files.readString(file)));
    }

    private static List<Map<?, ?>> maps(@Nullable Object list) {
        List<Map<?, ?>> maps = new ArrayList<>();
        ChartRules.list(list).forEach(each -> maps.add(ChartRules.map(each)));
        return maps;
    }

    private static Map<?, ?> map(Map<?, ?> from, String... path) {
        Map<?, ?> at = from;
        for (String name : path) {
            assertThat(at.get(name)).as(name).isInstanceOf(Map.class);
            at = ChartRules.map(at.get(name));
        }
        return at;
    }

    @ParameterizedTest
    @MethodSource("files")
    void boardHasFieldsOfModel(Path file) throws IOException {
        Map<?, ?> board = read(file);
        assertThat(board.containsKey("id")).as("an id belongs to one Grafana").isFalse();
        assertThat(board.containsKey("__inputs"))
                .as("nothing is asked at the import")
                .isFalse();
        assertThat(String.valueOf(board.get("uid"))).matches(UID);
        assertThat(board.get("schemaVersion"))
                .isInstanceOfSatisfying(
                        Integer.class, version -> assertThat(version).isBetween(36, 41));
        assertThat(String.valueOf(board.get("title"))).startsWith("Claimstream: ");
        assertThat(String.valueOf(board.get("description"))).hasSizeGreaterThan(20);
        assertThat(map(board, "time").keySet().stream().map(String::valueOf)).containsExactlyInAnyOrder("from", "to");
        Set<String> names = new HashSet<>();
        for (Map<?, ?> variable : maps(map(board, "templating").get("list"))) {
            assertThat(names.add(String.valueOf(variable.get("name")))).isTrue();
            String type = String.valueOf(variable.get("type"));
            assertThat(type).isIn("datasource", "query", "textbox");
            assertThat(type.equals("query") ? variable.get("datasource") : SOURCE)
                    .isEqualTo(SOURCE);
        }
        for (MatchResult used :
                VARIABLE.matcher(Files.readString(file)).results().toList()) {
            assertThat(used.group(1).startsWith("__") || names.contains(used.group(1)))
                    .as("variable %s", used.group(1))
                    .isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyPanelExplainsItself(Path file) throws IOException {
        for (Map<?, ?> panel : maps(read(file).get("panels"))) {
            String what = file.getFileName() + ": " + panel.get("title");
            String type = String.valueOf(panel.get("type"));
            assertThat(type).as(what).isIn(TYPES);
            assertThat(String.valueOf(panel.get("title"))).as(what).isNotBlank();
            if (type.equals("row")) {
                continue;
            }
            assertThat(String.valueOf(panel.get("description")))
                    .as(what)
                    .hasSizeGreaterThan(20)
                    .endsWith(".");
            if (type.equals("alertlist")) {
                continue;
            }
            assertThat(panel.get("datasource")).as(what).isEqualTo(SOURCE);
            assertThat(map(panel, "fieldConfig", "defaults").get("unit"))
                    .as(what)
                    .isIn(UNITS);
            List<Map<?, ?>> targets = maps(panel.get("targets"));
            assertThat(targets.stream().map(each -> each.get("refId")))
                    .as(what)
                    .doesNotHaveDuplicates()
                    .doesNotContainNull();
            assertThat(targets)
                    .as(what)
                    .allSatisfy(each -> assertThat(each.get("datasource")).isEqualTo(SOURCE));
            if (type.equals("timeseries")) {
                assertThat(map(panel, "options", "legend").get("showLegend"))
                        .as(what)
                        .isEqualTo(true);
                assertThat(targets)
                        .as(what)
                        .allSatisfy(each -> assertThat(String.valueOf(each.get("legendFormat")))
                                .isNotBlank()
                                .isNotEqualTo("null"));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void linksOpenViewsAndFiltersOfThePage(Path file) throws IOException {
        String views = Files.readString(PAGE.resolve("main.js"));
        Set<String> found = new TreeSet<>();
        eachUrl(read(file), (title, url) -> {
            if (!url.startsWith("${console}")) {
                return;
            }
            var parts = CONSOLE.matcher(url);
            assertThat(parts.matches()).as(url).isTrue();
            assertThat(title).as(url).isNotBlank();
            found.add(url);
            String view = parts.group(1);
            if (view != null && !view.isEmpty()) {
                assertThat(views).as(url).containsPattern("const VIEWS = \\{[^}]*\\b%s\\b".formatted(view));
                if (parts.group(3) != null) {
                    assertThat(Stream.of(parts.group(3).split("&")).map(each -> each.split("=", 2)[0]))
                            .as(url)
                            .isSubsetOf(filters(view));
                }
            }
        });
        assertThat(found).as("links into the console").isNotEmpty();
    }

    private static Set<String> filters(String view) {
        try {
            return FILTER.matcher(Files.readString(PAGE.resolve(view + ".js")))
                    .results()
                    .map(each -> each.group(1))
                    .collect(Collectors.toCollection(() -> new TreeSet<>(Set.of("state", "sort"))));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Calls the consumer with title and address of every link, at any depth. */
    private static void eachUrl(Object json, BiConsumer<String, String> link) {
        switch (json) {
            case Map<?, ?> map -> {
                if (map.get("url") instanceof String url) {
                    link.accept(String.valueOf(map.get("title")), url);
                }
                map.values().forEach(each -> eachUrl(each, link));
            }
            case List<?> list -> list.forEach(each -> eachUrl(each, link));
            case null, default -> {}
        }
    }
}

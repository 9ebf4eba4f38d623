package dev.claimstream.systemtests.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.process.settings.Setting;
import dev.claimstream.process.settings.SettingsCatalog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that the services read exactly the settings of the catalog, with its defaults. */
final class SettingsUseTest {
    private static final Path SERVICES = Path.of("..");
    private static final String CATALOG = "dev/claimstream/process/settings/";
    private static final String REMEDY =
            "add it to SharedSettings, SecuritySettings or ServiceSettings in services/process";

    /** A text that begins with a setting's name: the name, or a message about it. */
    private static final Pattern DIVISION = Pattern.compile("\"\\s*\\+\\s*\"");

    private static final Pattern NAME = Pattern.compile("\"(claimstream\\.[a-z][a-z.-]*[a-z])([^\"]*)\"");

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{(claimstream\\.[a-z.-]+)(:[^}]*)?}");
    private static final Pattern PREFIX = Pattern.compile("PREFIX = \"(claimstream\\.[a-z.]+\\.)\"");
    private static final Pattern AFTER_PREFIX = Pattern.compile("PREFIX \\+ \"([a-z-]+)\"");
    private static final Pattern RECORD = Pattern.compile("@ConfigurationProperties\\(\"([a-z.]+)\"\\)");
    private static final Pattern COMPONENT = Pattern.compile(
            "(?:@Bindable\\(defaultValue = (\"[^\"]*\"|[A-Za-z.]+_[A-Z_]+)\\)\\s+)?([A-Z]\\w*(?:<[\\w, ]+>)?|long|int|boolean) (\\w+)[,)]");

    /** Names of files, meters and domains that begin like a setting. */
    private static final Pattern NO_SETTING =
            Pattern.compile("claimstream\\.(dev|properties|lock|jar)|claimstream\\.yaml");

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(SERVICES, 20)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> file.toString().contains("/src/main/"))
                    .filter(file -> !file.toString().contains(CATALOG))
                    .sorted()
                    .toList();
        }
    }

    /** The names in the sources, with the first file of each. */
    private static NavigableMap<String, String> names() throws IOException {
        NavigableMap<String, String> names = new TreeMap<>();
        for (Path file : sources()) {
            String text = text(file);
            Stream.of(
                            literals(text),
                            placeholders(text).stream().map(each -> each.group(1)),
                            prefixed(text),
                            components(text))
                    .flatMap(each -> each)
                    .filter(name -> !NO_SETTING.matcher(name).lookingAt())
                    .forEach(name -> names.putIfAbsent(name, file.toString()));
        }
        return names;
    }

    /** Returns the source, with the parts of a divided text as one. */
    private static String text(Path file) {
        try {
            return DIVISION.matcher(Files.readString(file)).replaceAll("");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<String> literals(String text) {
        return NAME.matcher(text)
                .results()
                .map(each -> each.group(1))
                .filter(name -> SettingsCatalog.all().stream()
                        .noneMatch(each -> each.name().startsWith(name + ".")));
    }

    private static List<MatchResult> placeholders(String text) {
        return PLACEHOLDER.matcher(text).results().toList();
    }

    private static Stream<String> prefixed(String text) {
        Matcher prefix = PREFIX.matcher(text);
        return prefix.find()
                ? AFTER_PREFIX.matcher(text).results().map(each -> prefix.group(1) + each.group(1))
                : Stream.empty();
    }

    /** The settings of a record of configuration. */
    private static Stream<String> components(String text) {
        return record(text).stream()
                .flatMap(prefix -> componentResults(text).map(each -> prefix + "." + hyphenated(each.group(3))));
    }

    private static Optional<String> record(String text) {
        return RECORD.matcher(text).results().map(each -> each.group(1)).findFirst();
    }

    private static Stream<MatchResult> componentResults(String text) {
        return COMPONENT.matcher(text.substring(text.indexOf("public record"))).results();
    }

    private static String hyphenated(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    private static String catalogName(String name) {
        return name.equals("claimstream.allocator.sources") ? name + ".<kind>" : name;
    }

    @Test
    void catalogHasEverySettingThatIsRead() throws IOException {
        NavigableSet<String> missing = new TreeSet<>();
        NavigableSet<String> known =
                new TreeSet<>(SettingsCatalog.all().stream().map(Setting::name).toList());
        names().forEach((name, file) -> {
            if (!known.contains(catalogName(name))) {
                missing.add("%s in %s".formatted(name, file));
            }
        });
        assertThat(missing).as("settings that the catalog lacks: " + REMEDY).isEmpty();
    }

    @Test
    void servicesReadEverySettingOfTheCatalog() throws IOException {
        NavigableSet<String> read = new TreeSet<>(
                names().keySet().stream().map(SettingsUseTest::catalogName).toList());
        assertThat(SettingsCatalog.all().stream().map(Setting::name).filter(name -> !name.equals("claimstream.config")))
                .as("settings of the catalog; remove one that no service reads")
                .allMatch(read::contains);
    }

    @Test
    void catalogHasTheDefaultsOfTheSources() throws IOException {
        NavigableMap<String, String> defaults = new TreeMap<>();
        for (Path file : sources()) {
            String text = text(file);
            placeholders(text).stream()
                    .filter(each -> each.group(2) != null)
                    .forEach(each -> defaults.put(each.group(1), each.group(2).substring(1)));
            record(text)
                    .ifPresent(prefix -> componentResults(text)
                            .filter(each ->
                                    each.group(1) != null && each.group(1).startsWith("\""))
                            .forEach(each -> defaults.put(
                                    prefix + "." + hyphenated(each.group(3)),
                                    each.group(1).replace("\"", ""))));
        }
        assertThat(defaults).hasSizeGreaterThan(30);
        assertThat(defaults)
                .allSatisfy((name, text) -> assertThat(
                                SettingsCatalog.find(name).orElseThrow().defaultText())
                        .as(name)
                        .isEqualTo(text));
    }
}

package dev.claimstream.process.settings;

import io.micronaut.context.env.Environment;
import io.micronaut.context.env.PropertiesPropertySourceLoader;
import io.micronaut.context.env.PropertySource;
import io.micronaut.context.env.yaml.YamlPropertySourceLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The configuration files of a process, in ascending precedence.
 *
 * <p>Environment variables and system properties override all of them.
 */
public final class SettingsFiles {
    /** Names further files and folders, as environment variable or system property. */
    static final String CONFIG = "claimstream.config";

    /** Read if it exists: the place of a mounted ConfigMap. */
    static final Path DEFAULT = Path.of("/etc/claimstream/application.yml");

    /** Above {@code application.yml} of the class path, below the environment (Micronaut: -300 and -200). */
    private static final int FIRST_POSITION = -290;

    private static final int LAST_POSITION = -210;

    private static final Pattern YAML = Pattern.compile(".*\\.ya?ml");
    private static final Pattern PROPERTIES = Pattern.compile(".*\\.properties");
    private static final Pattern POSITION = Pattern.compile("line (\\d+), column (\\d+)");

    private SettingsFiles() {}

    /**
     * The existing files of settings.
     *
     * @throws InvalidSettingsException if a named file is missing or has an unknown form
     */
    public static List<Path> paths() {
        List<Path> paths = new ArrayList<>();
        if (Files.exists(DEFAULT)) {
            paths.add(DEFAULT);
        }
        Optional.ofNullable(System.getProperty(CONFIG))
                .or(() -> Optional.ofNullable(System.getenv(Setting.variable(CONFIG))))
                .stream()
                .flatMap(text -> Arrays.stream(text.split(",", -1)))
                .map(String::strip)
                .filter(text -> !text.isEmpty())
                .forEach(text -> paths.addAll(named(Path.of(text))));
        return List.copyOf(paths);
    }

    /** The files of settings at a path: the file itself, or those of a folder. */
    static List<Path> named(Path path) {
        if (Files.isDirectory(path)) {
            try (Stream<Path> files = Files.list(path)) {
                return files.filter(Files::isRegularFile)
                        .filter(SettingsFiles::isReadable)
                        .sorted()
                        .toList();
            } catch (IOException e) {
                throw unreadable(path, e);
            }
        }
        if (!isReadable(path)) {
            throw invalid("%s names %s: use files that end with .yml, .yaml or .properties, or folders of such files"
                    .formatted(Setting.variable(CONFIG), path));
        }
        return List.of(path);
    }

    private static boolean isReadable(Path file) {
        String name = file.getFileName().toString();
        return YAML.matcher(name).matches() || PROPERTIES.matcher(name).matches();
    }

    /**
     * Reads the files.
     *
     * @throws InvalidSettingsException if one cannot be read
     */
    static List<PropertySource> read(List<Path> files) {
        List<PropertySource> sources = new ArrayList<>();
        for (Path file : files) {
            int position = Math.min(FIRST_POSITION + sources.size(), LAST_POSITION);
            sources.add(PropertySource.of(file.toString(), values(file), position));
        }
        return sources;
    }

    /** The sources of files among those of an environment, in ascending precedence: what a process has started with. */
    static List<PropertySource> of(Environment environment) {
        return environment.getPropertySources().stream()
                .filter(each -> each.getOrder() >= FIRST_POSITION && each.getOrder() <= LAST_POSITION)
                .sorted(Comparator.comparingInt(PropertySource::getOrder))
                .toList();
    }

    private static Map<String, Object> values(Path file) {
        try (var content = Files.newInputStream(file)) {
            var loader = YAML.matcher(file.toString()).matches()
                    ? new YamlPropertySourceLoader()
                    : new PropertiesPropertySourceLoader();
            return loader.read(file.toString(), content);
        } catch (IOException e) {
            throw unreadable(file, e);
        } catch (RuntimeException e) { // of the parser; its text quotes the file, which may contain a secret
            throw invalid("%s%s cannot be parsed: correct the file".formatted(file, position(e)));
        }
    }

    private static String position(RuntimeException thrown) {
        return Stream.iterate(
                        Optional.<Throwable>of(thrown), Optional::isPresent, each -> each.map(Throwable::getCause))
                .flatMap(Optional::stream)
                .map(each -> POSITION.matcher(String.valueOf(each.getMessage())))
                .filter(Matcher::find)
                .map(found -> ", line %s, column %s,".formatted(found.group(1), found.group(2)))
                .findFirst()
                .orElse("");
    }

    private static InvalidSettingsException unreadable(Path path, IOException reason) {
        return invalid("%s: %s: name readable files in %s"
                .formatted(
                        path,
                        reason instanceof NoSuchFileException ? "no such file" : "cannot be read (" + reason + ")",
                        Setting.variable(CONFIG)));
    }

    private static InvalidSettingsException invalid(String problem) {
        return new InvalidSettingsException(List.of(problem));
    }
}

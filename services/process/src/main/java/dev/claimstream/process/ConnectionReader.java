package dev.claimstream.process;

import dev.claimstream.process.settings.InvalidSettingsException;
import dev.claimstream.process.settings.Setting;
import dev.claimstream.process.settings.SettingsCatalog;
import io.micronaut.core.value.PropertyResolver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** Reads settings of connections that depend on each other, and collects what is wrong with them. */
final class ConnectionReader {
    private final Map<String, String> texts = new TreeMap<>();
    private final List<String> problems = new ArrayList<>();

    /** Copies the settings: the context that has them may be closed before a fault is explained. */
    ConnectionReader(PropertyResolver settings) {
        SettingsCatalog.all().stream()
                .map(Setting::name)
                .forEach(name -> settings.getProperty(name, String.class)
                        .map(String::strip)
                        .filter(text -> !text.isEmpty())
                        .ifPresent(text -> texts.put(name, text)));
    }

    /** The text of a setting; empty if it is blank. */
    Optional<String> text(String name) {
        return Optional.ofNullable(texts.get(name));
    }

    /** A text that another setting needs; a missing one is a problem. */
    Optional<String> required(String name, String because) {
        Optional<String> text = text(name);
        if (text.isEmpty()) {
            problem("%s is not set, but %s: set it, or %s".formatted(name, because, Setting.variable(name)));
        }
        return text;
    }

    /**
     * A file; a missing or wrong one is a problem.
     *
     * @param check what is wrong with the file, as the end of a sentence
     */
    Optional<Path> file(String name, Function<Path, Optional<String>> check) {
        return text(name).flatMap(text -> checkedFile(name, Path.of(text), check));
    }

    /** A file that another setting needs. */
    Optional<Path> requiredFile(String name, String because, Function<Path, Optional<String>> check) {
        return required(name, because).flatMap(text -> checkedFile(name, Path.of(text), check));
    }

    private Optional<Path> checkedFile(String name, Path file, Function<Path, Optional<String>> check) {
        Optional<String> problem = Files.exists(file)
                ? check.apply(file)
                : Optional.of("does not exist: name an existing file, or mount it there");
        problem.ifPresent(what -> problem("%s is '%s', which %s".formatted(name, file, what)));
        return Optional.of(file).filter(_ -> problem.isEmpty());
    }

    void problem(String text) {
        problems.add(text);
    }

    /**
     * Ends the reading.
     *
     * @throws InvalidSettingsException if there are problems
     */
    void throwProblems() {
        if (!problems.isEmpty()) {
            throw new InvalidSettingsException(problems);
        }
    }
}

package dev.claimstream.process.settings;

import dev.claimstream.process.settings.Setting.SettingChange;
import io.micronaut.context.env.Environment;
import io.micronaut.context.env.PropertySource;
import io.micronaut.core.naming.NameUtils;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the configuration files again and applies changed settings that need no restart.
 *
 * <p>It compares the content, because the files of a mounted ConfigMap are replaced through links, without an event on their folder. A
 * file with a mistake changes nothing. A setting of the environment or a system property overrides the files, also after a change.
 */
public final class SettingsReload implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SettingsReload.class);
    private static final Duration EVERY = Duration.ofSeconds(5);

    private final Environment environment;
    private final BiConsumer<String, Optional<String>> apply;
    private final Predicate<Setting> isOverridden;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("settings-reload").factory());
    private SortedMap<String, String> current;
    private List<String> reported = List.of();

    /**
     * Begins with the files as they were at the start of the process.
     *
     * @param apply receives name and new value of a changed setting; an empty value means the default
     * @param isOverridden whether the environment or a system property sets a setting
     */
    SettingsReload(
            Environment environment, BiConsumer<String, Optional<String>> apply, Predicate<Setting> isOverridden) {
        this.environment = environment;
        this.apply = apply;
        this.isOverridden = isOverridden;
        current = values(SettingsFiles.of(environment)); // a change since the start is one too
    }

    /** Starts to read the files every few seconds. */
    public static SettingsReload start(Environment environment, BiConsumer<String, Optional<String>> apply) {
        var reload = new SettingsReload(environment, apply, SettingsReload::isSetOutsideOfFiles);
        var unused = reload.timer.scheduleWithFixedDelay(
                reload::poll, EVERY.toMillis(), EVERY.toMillis(), TimeUnit.MILLISECONDS);
        return reload;
    }

    private static boolean isSetOutsideOfFiles(Setting setting) {
        return System.getenv(setting.variable()) != null || System.getProperty(setting.name()) != null;
    }

    private static SortedMap<String, String> values(List<PropertySource> files) {
        SortedMap<String, String> values = new TreeMap<>();
        files.forEach(
                file -> file.forEach(key -> values.put(NameUtils.hyphenate(key, true), String.valueOf(file.get(key)))));
        return values;
    }

    /** Reads the files once more. */
    void poll() {
        try {
            List<PropertySource> files = SettingsFiles.read(SettingsFiles.paths());
            SortedMap<String, String> next = values(files);
            List<String> problems =
                    next.equals(current) ? List.of() : SettingsCheck.problems(environment, files, Optional.empty());
            if (problems.isEmpty()) {
                change(next);
            }
            report(problems);
        } catch (InvalidSettingsException e) {
            report(e.problems());
        } catch (RuntimeException e) { // a timer would not run again
            report(List.of(String.valueOf(e.getMessage())));
        }
    }

    private void report(List<String> problems) {
        if (!problems.equals(reported)) {
            problems.forEach(each -> LOG.atWarn()
                    .addKeyValue("problem", each)
                    .log("changed configuration files are not used; the previous settings apply"));
            reported = problems;
        }
    }

    private void change(SortedMap<String, String> next) {
        SortedSet<String> names = Stream.of(current, next)
                .flatMap(each -> each.keySet().stream())
                .filter(name -> !Objects.equals(current.get(name), next.get(name)))
                .collect(Collectors.toCollection(TreeSet::new));
        current = next;
        SortedSet<String> needRestart = new TreeSet<>();
        for (String name : names) {
            Optional<Setting> setting = SettingsCatalog.find(name);
            if (setting.filter(each -> each.change() == SettingChange.RELOAD).isPresent()) {
                applyUnlessOverridden(setting.get(), Optional.ofNullable(next.get(name)));
            } else if (setting.isPresent()) {
                needRestart.add(name);
            }
        }
        if (!needRestart.isEmpty()) {
            LOG.atWarn()
                    .addKeyValue("settings", needRestart)
                    .log("changed settings apply after a restart of this process");
        }
    }

    private void applyUnlessOverridden(Setting setting, Optional<String> value) {
        if (!isOverridden.test(setting)) {
            Optional<String> resolved = value.map(environment.getPlaceholderResolver()::resolveRequiredPlaceholders);
            apply.accept(setting.name(), resolved);
            LOG.atInfo()
                    .addKeyValue("setting", setting.name())
                    .addKeyValue("value", resolved.orElse(setting.defaultText()))
                    .log("changed setting applies");
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}

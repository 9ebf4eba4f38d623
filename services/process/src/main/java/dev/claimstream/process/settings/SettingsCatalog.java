package dev.claimstream.process.settings;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** All settings of the services; {@code services/SETTINGS.md} is generated from it. */
public final class SettingsCatalog {
    private static final List<Setting> ALL = Stream.of(
                    SharedSettings.all(), SecuritySettings.all(), ServiceSettings.all())
            .flatMap(List::stream)
            .toList();

    private SettingsCatalog() {}

    /** All settings, grouped by subject. */
    public static List<Setting> all() {
        return ALL;
    }

    /** The setting that a key of a file or a system property means. */
    public static Optional<Setting> find(String key) {
        return ALL.stream().filter(each -> each.isNamed(key)).findFirst();
    }

    /**
     * Returns the value of a setting in a process that does not check all of its settings.
     *
     * @throws InvalidSettingsException if the setting does not accept the value; the message has the remedy
     */
    public static String requireValid(String name, String value) {
        SettingType type = find(name).orElseThrow().type();
        if (!type.accepts().test(value)) {
            throw new InvalidSettingsException(
                    List.of("%s is %s: %s".formatted(name, SettingsCheck.quoted(name, value), type.remedy())));
        }
        return value;
    }

    /** The setting that an environment variable means. */
    static Optional<Setting> ofVariable(String variable) {
        return ALL.stream().filter(each -> each.isVariable(variable)).findFirst();
    }

    /** The name that an unknown key probably means. */
    static Optional<String> nearestName(String key) {
        return EditDistance.nearest(key, ALL.stream().map(Setting::name).toList());
    }

    /** The variable that an unknown variable probably means. */
    static Optional<String> nearestVariable(String variable) {
        return EditDistance.nearest(
                variable,
                Stream.concat(
                                ALL.stream().filter(each -> !each.isPerKind()).map(Setting::variable),
                                EnvironmentVariables.others().keySet().stream())
                        .toList());
    }
}

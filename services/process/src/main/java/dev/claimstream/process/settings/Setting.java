package dev.claimstream.process.settings;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * One setting of the catalog.
 *
 * @param name the property, for example {@code claimstream.allocator.policy}; {@code <kind>} at its end stands for any kind
 * @param type the values that it accepts
 * @param defaultText the default as a user would write it; empty if there is none
 * @param unit unit of a number; empty for other types
 * @param services the services that read it
 * @param need whether a service starts without it
 * @param change when a changed value applies
 * @param meaning a sentence for the generated page
 */
public record Setting(
        String name,
        SettingType type,
        String defaultText,
        String unit,
        Set<ServiceName> services,
        SettingNeed need,
        SettingChange change,
        String meaning) {
    private static final String ANY_KIND = "<kind>";

    /** Whether a service starts without the setting. */
    public enum SettingNeed {
        /** The services start without it. */
        OPTIONAL,
        /** A service that reads it does not start without it. */
        REQUIRED
    }

    /** When a changed value of a setting applies. */
    public enum SettingChange {
        /** At the next start of the process. */
        RESTART("restart"),
        /** Within seconds after a configuration file has changed; a changed environment variable needs a restart. */
        RELOAD("reload"),
        /** The value needs a restart; the content of the named file is read again when it changes. */
        FILE_RELOAD("restart; changes of the file apply at the next connection");

        private final String text;

        SettingChange(String text) {
            this.text = text;
        }

        /** The words of the generated page. */
        public String text() {
            return text;
        }
    }

    public Setting {
        services = Collections.unmodifiableSet(EnumSet.copyOf(services));
    }

    /** An optional setting without a default that needs a restart. */
    static Setting of(String name, SettingType type, Set<ServiceName> services, String meaning) {
        return new Setting(name, type, "", "", services, SettingNeed.OPTIONAL, SettingChange.RESTART, meaning);
    }

    /** A copy with a default. */
    Setting withDefault(String text) {
        return new Setting(name, type, text, unit, services, need, change, meaning);
    }

    /** A copy with a unit. */
    Setting in(String newUnit) {
        return new Setting(name, type, defaultText, newUnit, services, need, change, meaning);
    }

    /** A copy without which the services do not start. */
    Setting required() {
        return new Setting(name, type, defaultText, unit, services, SettingNeed.REQUIRED, change, meaning);
    }

    /** A copy whose changed values apply at another time. */
    Setting changedBy(SettingChange newChange) {
        return new Setting(name, type, defaultText, unit, services, need, newChange, meaning);
    }

    /** Whether the name stands for a setting per kind of object. */
    boolean isPerKind() {
        return name.endsWith(ANY_KIND);
    }

    /** The environment variable of the setting. */
    public String variable() {
        return variable(name);
    }

    /** The environment variable of a setting with this name. */
    public static String variable(String setting) {
        return setting.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    /** Whether a key of a file or a system property means this setting. Case and hyphens are those of the name. */
    boolean isNamed(String key) {
        return name.endsWith(ANY_KIND)
                ? key.length() > prefix().length() && key.startsWith(prefix())
                : key.equals(name) || key.startsWith(name + "[");
    }

    /** Whether an environment variable means this setting. */
    boolean isVariable(String key) {
        String prefix = variable(prefix());
        return name.endsWith(ANY_KIND)
                ? key.length() > prefix.length() && key.startsWith(prefix)
                : key.equals(variable());
    }

    /** The name that one of its environment variables means. */
    String nameOf(String variable) {
        String kind = variable.substring(
                Math.min(variable.length(), variable(prefix()).length()));
        return prefix() + kind.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private String prefix() {
        return name.replace(ANY_KIND, "");
    }
}

package dev.claimstream.process.settings;

import dev.claimstream.dra.Kind;
import io.micronaut.context.env.Environment;
import io.micronaut.context.env.PropertySource;
import io.micronaut.core.naming.NameUtils;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds the unknown, invalid and missing settings of a process. */
final class SettingsCheck {
    private static final String PREFIX = "claimstream.";
    private static final Pattern SECRET =
            Pattern.compile(".*(PASSWORD|SECRET|TOKEN|CREDENTIAL|PASSPHRASE|JAAS|KEY)(?!.*FILE$).*");
    private static final Pattern SECRET_FILE = Pattern.compile("PASSWORD|SECRET|TOKEN_FILE");
    private static final Pattern USER = Pattern.compile("//.*@");
    private static final String NOT_SHOWN = "not shown";

    private final Environment environment;
    private final Map<String, PlacedValue> values = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();

    /** A value of a setting and the place where it is set. */
    private record PlacedValue(Setting setting, String key, String source, Object value) {}

    private SettingsCheck(Environment environment) {
        this.environment = environment;
    }

    /**
     * Returns the problems, one line each.
     *
     * @param environment resolves placeholders
     * @param files the sources of the files, in ascending precedence
     * @param service the service that starts; empty if required settings may be missing
     */
    static List<String> problems(Environment environment, List<PropertySource> files, Optional<ServiceName> service) {
        var check = new SettingsCheck(environment);
        files.forEach(check::readFile);
        check.readVariables();
        check.readSystemProperties();
        check.values.values().forEach(check::validate);
        service.ifPresent(check::requireSettings);
        return check.problems;
    }

    private void readFile(PropertySource file) {
        file.forEach(key -> readProperty(key, "file " + file.getName(), file.get(key)));
    }

    private void readSystemProperties() {
        System.getProperties().stringPropertyNames().stream()
                .sorted()
                .forEach(key -> readProperty(key, "system property", System.getProperty(key, "")));
    }

    private void readProperty(String key, String source, Object value) {
        String name = NameUtils.hyphenate(key, true);
        if (!name.startsWith(PREFIX)) {
            return;
        }
        Optional<Setting> setting = SettingsCatalog.find(name);
        if (setting.isPresent()) {
            values.put(name, new PlacedValue(setting.get(), name, source, value));
        } else {
            Optional<String> nearest = SettingsCatalog.nearestName(name);
            problems.add("%s is no setting (%s, value %s): %s"
                    .formatted(key, source, quotedUnknown(name, nearest, value), remedy(nearest)));
        }
    }

    private void readVariables() {
        List<String> links = EnvironmentVariables.serviceLinks(System.getenv()).toList();
        new TreeMap<>(System.getenv()).forEach((variable, value) -> {
            if (variable.startsWith(EnvironmentVariables.PREFIX)
                    && !links.contains(variable)
                    && !EnvironmentVariables.others().containsKey(variable)) {
                readVariable(variable, value);
            }
        });
    }

    private void readVariable(String variable, String value) {
        Optional<Setting> setting = SettingsCatalog.ofVariable(variable);
        if (setting.isPresent()) {
            String name = setting.get().nameOf(variable);
            values.put(name, new PlacedValue(setting.get(), name, "environment variable " + variable, value));
        } else {
            Optional<String> nearest = SettingsCatalog.nearestVariable(variable);
            problems.add("environment variable %s is no setting (value %s): %s"
                    .formatted(variable, quotedUnknown(variable, nearest, value), remedy(nearest)));
        }
    }

    private static String remedy(Optional<String> nearest) {
        return nearest.map(name -> "use " + name).orElse("remove it; services/SETTINGS.md lists the settings");
    }

    private void validate(PlacedValue placed) {
        SettingType type = placed.setting().type();
        Object value = placed.value();
        if (value instanceof Collection<?> many && !type.isList()) {
            reject(placed, many, type.remedy());
        } else if (placed.setting().isPerKind() && !isKind(placed)) {
            reject(placed, value, "name one of the kinds in services/SETTINGS.md");
        } else {
            elements(value, type)
                    .filter(text -> !type.accepts().test(text))
                    .forEach(text -> reject(placed, text, type.remedy()));
        }
    }

    private Stream<String> elements(Object value, SettingType type) {
        Stream<String> texts = value instanceof Collection<?> many
                ? many.stream().map(String::valueOf)
                : Stream.of(String.valueOf(value));
        Stream<String> resolved = texts.map(this::resolved);
        return type.isList()
                ? resolved.flatMap(text -> Arrays.stream(text.split(",", -1))).map(String::strip)
                : resolved;
    }

    /** A value with its placeholders replaced; one that cannot be replaced stays, and is reported as invalid where a type has a form. */
    private String resolved(String text) {
        return environment.getPlaceholderResolver().resolvePlaceholders(text).orElse(text);
    }

    private static boolean isKind(PlacedValue placed) {
        String kind = placed.key().substring(placed.key().lastIndexOf('.') + 1).replaceAll("[-_]", "");
        return Arrays.stream(Kind.values()).anyMatch(each -> each.apiName().equalsIgnoreCase(kind));
    }

    private void reject(PlacedValue placed, Object value, String remedy) {
        problems.add("%s is %s (%s): %s".formatted(placed.key(), quoted(placed.key(), value), placed.source(), remedy));
    }

    private void requireSettings(ServiceName service) {
        SettingsCatalog.all().stream()
                .filter(each -> each.need() == Setting.SettingNeed.REQUIRED)
                .filter(each -> each.services().contains(service))
                .filter(each -> isNeeded(each, service))
                .filter(each -> environment
                        .getProperty(each.name(), String.class)
                        .filter(text -> !text.isBlank())
                        .isEmpty())
                .forEach(each -> problems.add("%s is not set: set it, or %s, to %s"
                        .formatted(each.name(), each.variable(), each.type().text())));
    }

    /** A process without its service, such as the archive alone, needs none of the service's own settings. */
    private boolean isNeeded(Setting setting, ServiceName service) {
        String own = PREFIX + service.text() + ".";
        return !setting.name().startsWith(own)
                || environment.getProperty(own + "enabled", Boolean.class).orElse(true);
    }

    /** The value of an unknown name; not shown if it can be a misspelt secret. */
    private static String quotedUnknown(String name, Optional<String> nearest, Object value) {
        return nearest.map(Setting::variable)
                        .filter(each -> SECRET_FILE.matcher(each).find())
                        .isPresent()
                ? NOT_SHOWN
                : quoted(name, value);
    }

    /** The value for a message; the value of a secret is replaced. */
    static String quoted(String name, Object value) {
        return SECRET.matcher(Setting.variable(name)).matches()
                ? NOT_SHOWN
                : "'%s'".formatted(USER.matcher(String.valueOf(value)).replaceAll("//…@"));
    }
}

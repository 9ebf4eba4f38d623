package dev.claimstream.process.settings;

import dev.claimstream.dra.LabelSelector;
import io.micronaut.core.convert.ConversionService;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The values that a setting accepts.
 *
 * @param text the type as the generated page shows it
 * @param remedy what a user sets instead of an invalid value
 * @param accepts whether a value is valid; a list is checked element by element
 * @param isList whether the setting has several values, separated by commas or as a list of a YAML file
 */
public record SettingType(String text, String remedy, Predicate<String> accepts, boolean isList) {
    private static final int PORT_MAX = 65_535;

    /** Any text. */
    static SettingType text(String text) {
        return new SettingType(text, "use " + text, _ -> true, false);
    }

    /** Any text that is not blank. */
    static SettingType name(String text) {
        return new SettingType(text, "use " + text, value -> !value.isBlank(), false);
    }

    /** Path of a file or folder. Whether it exists is checked by the service that reads it. */
    static SettingType path(String text) {
        return name(text);
    }

    /** {@code true} or {@code false}. */
    static SettingType flag() {
        return new SettingType(
                "true or false", "use true or false", value -> value.equals("true") || value.equals("false"), false);
    }

    /** A whole number within limits. */
    static SettingType number(long min, long max) {
        String range = max == Long.MAX_VALUE ? "%d or more".formatted(min) : "%d to %d".formatted(min, max);
        return new SettingType("number, " + range, "use a number, " + range, value -> isWithin(value, min, max), false);
    }

    /** A TCP port. */
    static SettingType port() {
        return number(0, PORT_MAX);
    }

    /** A time, for example {@code 500ms}. */
    static SettingType duration(Duration min) {
        String range = min.toMillis() % 1000 == 0 ? min.toSeconds() + "s or more" : min.toMillis() + "ms or more";
        return new SettingType(
                "time, " + range,
                "use a time with its unit (ms, s, m, h), such as 10s; " + range,
                value -> ConversionService.SHARED
                        .convert(value, Duration.class)
                        .filter(time -> time.compareTo(min) >= 0)
                        .isPresent(),
                false);
    }

    /** A host name or address, without scheme and port. */
    static SettingType host() {
        return new SettingType(
                "host name or address",
                "use a host name or an address, without scheme, port and path",
                value -> value.isBlank() || isHost(value.strip()),
                false);
    }

    /** A label selector of kubectl. */
    static SettingType labelSelector() {
        return new SettingType(
                "label selector, such as `pool in (a,b),!old`",
                "use a label selector of kubectl, such as pool in (a,b),!old",
                SettingType::isLabelSelector,
                false);
    }

    private static boolean isLabelSelector(String text) {
        try {
            LabelSelector.parse(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** One of several words. */
    static SettingType oneOf(String... words) {
        List<String> all = List.of(words);
        String text = all.size() == 1
                ? all.getFirst()
                : all.stream().limit(all.size() - 1L).collect(Collectors.joining(", ")) + " or " + all.getLast();
        return new SettingType(text, "use " + text, all::contains, false);
    }

    /** An HTTP address without user and password. */
    static SettingType httpUrl(String example) {
        return new SettingType(
                "URL, such as " + example,
                "use an address like %s, without user and password".formatted(example),
                SettingType::isHttpUrl,
                false);
    }

    /** A predicate with its text and its remedy. */
    static SettingType of(String text, String remedy, Predicate<String> accepts) {
        return new SettingType(text, remedy, accepts, false);
    }

    /** Several values of this type. */
    SettingType list() {
        return new SettingType(text + "; several with commas between", remedy, accepts, true);
    }

    private static boolean isWithin(String value, long min, long max) {
        try {
            long number = Long.parseLong(value);
            return min <= number && number <= max;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static boolean isHost(String value) {
        String host = value.contains(":") && !value.startsWith("[") ? "[" + value + "]" : value;
        try {
            return host.equals(URI.create("http://" + host).getHost());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static boolean isHttpUrl(String value) {
        try {
            URI address = URI.create(value.strip());
            boolean isHttp = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
            return isHttp
                    && address.getHost() != null
                    && address.getPort() <= PORT_MAX
                    && address.getUserInfo() == null;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}

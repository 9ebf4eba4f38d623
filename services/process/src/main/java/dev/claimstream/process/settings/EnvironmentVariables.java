package dev.claimstream.process.settings;

import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Environment variables with the prefix of Claimstream that are no settings.
 *
 * <p>Kubernetes adds variables for each Service of the namespace, such as {@code CLAIMSTREAM_CONSOLE_PORT=tcp://10.0.0.7:8410} for a
 * Service {@code claimstream-console} (API field {@code enableServiceLinks} of a pod). They are ignored, because one of them would
 * otherwise be the port of the console.
 */
public final class EnvironmentVariables {
    static final String PREFIX = "CLAIMSTREAM_";

    private static final Pattern SERVICE_LINK = Pattern.compile(
            "[A-Z0-9_]+_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_[0-9]+_(TCP|UDP|SCTP)(_[A-Z]+)?)");
    private static final Pattern SERVICE_ADDRESS = Pattern.compile("(tcp|udp|sctp)://.*");

    private static final Map<String, String> OTHERS = Map.ofEntries(
            Map.entry("CLAIMSTREAM_AOT", "start-up cache of the launcher: auto, train or off"),
            Map.entry("CLAIMSTREAM_COLUMNS", "width of the terminal, set by the launcher"),
            Map.entry("CLAIMSTREAM_CONSOLE", "address of the console that the commands ask"),
            Map.entry("CLAIMSTREAM_CONTROL_PLANE", "program of the local control plane"),
            Map.entry("CLAIMSTREAM_DATA", "data folder of `claimstream up`"),
            Map.entry("CLAIMSTREAM_CONTAINERS", "`required`: the gate fails where no Docker engine can be started"),
            Map.entry("CLAIMSTREAM_CONTAINERS_WORK", "folder of the containers of tests"),
            Map.entry("CLAIMSTREAM_IMAGE", "image of compose"),
            Map.entry("CLAIMSTREAM_KAFKA_IMAGE", "image of Kafka for compose and tests"),
            Map.entry("CLAIMSTREAM_HISTORY", "address of the history service that the commands ask"),
            Map.entry("CLAIMSTREAM_HOME", "source tree of the plugin `kubectl claimstream`"),
            Map.entry("CLAIMSTREAM_JAVA_OPTS", "more options for the JVM of the launcher"),
            Map.entry("CLAIMSTREAM_LOG", "format of log lines: text or json"),
            Map.entry("CLAIMSTREAM_PLUGIN", "set by the plugin `kubectl claimstream`"),
            Map.entry("CLAIMSTREAM_PROGRESS", "whether progress is drawn, set by the launcher"),
            Map.entry("CLAIMSTREAM_READ_LOG", "file that gets a line per command that reads the recorded log"),
            Map.entry("CLAIMSTREAM_SIMULATOR", "address of the simulator that the commands ask"),
            Map.entry("CLAIMSTREAM_TOKEN", "bearer token for a console, history or simulator that asks for one"));

    private EnvironmentVariables() {}

    /** Variables of the launcher, the commands and the logs, with their meanings. */
    public static SortedMap<String, String> others() {
        return new TreeMap<>(OTHERS);
    }

    /**
     * The settings of variables that end with a kind, by variable.
     *
     * <p>Micronaut reads a variable under several names, because an underscore can be a dot or a hyphen: {@code SOURCES_RESOURCE_SLICE} would
     * also set the sources of a kind {@code resource}, which does not exist.
     */
    static SortedMap<String, String> settingsPerKind(Set<String> variables) {
        SortedMap<String, String> names = new TreeMap<>();
        variables.forEach(variable -> SettingsCatalog.ofVariable(variable)
                .filter(Setting::isPerKind)
                .ifPresent(setting -> names.put(variable, setting.nameOf(variable))));
        return names;
    }

    /** The names of the variables that describe Services of Kubernetes. */
    static Stream<String> serviceLinks(Map<String, String> environment) {
        return environment.entrySet().stream()
                .filter(each -> each.getKey().startsWith(PREFIX))
                .filter(each -> SERVICE_LINK.matcher(each.getKey()).matches()
                        || SERVICE_ADDRESS.matcher(each.getValue()).matches())
                .map(Map.Entry::getKey);
    }
}

package dev.claimstream.agent;

import dev.claimstream.agent.devices.DeviceTable;
import dev.claimstream.agent.devices.Discovery;
import dev.claimstream.agent.devices.Exclusion;
import dev.claimstream.agent.devices.PciTree;
import dev.claimstream.agent.telemetry.Exporters;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Validated settings of a node agent.
 *
 * <p>An invalid setting is an {@link IllegalArgumentException} that names the setting, its value and the remedy.
 */
record AgentSettings(
        String node,
        Discovery discovery,
        boolean slices,
        String taintEffect,
        Duration recovery,
        Duration scanEvery,
        Duration heartbeatEvery,
        Exporters.ExporterSettings exporters) {
    static final String PCI_IDS = "/usr/share/misc/pci.ids,/usr/share/hwdata/pci.ids";

    /**
     * Default of {@code fatal-xids} (NVIDIA: XID Errors).
     *
     * <p>48 double bit ECC error, 64 row remapping failed, 79 fallen off the bus, 95 uncontained memory error, 119 and
     * 120 GSP, 140 unrecovered ECC error.
     */
    static final String FATAL_XIDS = "48,64,79,95,119,120,140";

    private static final String PREFIX = "claimstream.agent.";
    private static final Pattern NODE =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
    private static final int NODE_CHARS_MAX = 200; // names of slices, which contain it, have at most 253
    private static final List<String> EFFECTS = List.of("NoSchedule", "NoExecute", "None");

    static AgentSettings of(AgentConfig config) {
        return new AgentSettings(
                node(config.node()),
                discovery(config),
                config.slices(),
                effect(config.taintEffect()),
                positive("recovery", config.recovery()),
                positive("scan-every", config.scanEvery()),
                positive("heartbeat-every", config.heartbeatEvery()),
                new Exporters.ExporterSettings(
                        nonBlank(config.exporters()).map(AgentSettings::address).toList(),
                        positive("scrape-every", config.scrapeEvery()),
                        positive("scrape-timeout", config.scrapeTimeout()),
                        bytes(config.scrapeBytesMax()),
                        xids(config.fatalXids())));
    }

    /** Drops empty values; an empty list arrives as one empty text. */
    private static Stream<String> nonBlank(List<String> values) {
        return values.stream().map(String::strip).filter(value -> !value.isEmpty());
    }

    static String node(String configured) {
        String name = Stream.of(
                        configured,
                        Optional.ofNullable(System.getenv("NODE_NAME")).orElse(""))
                .map(String::strip)
                .filter(each -> !each.isEmpty())
                .findFirst()
                .orElseGet(AgentSettings::host);
        if (name.length() > NODE_CHARS_MAX || !NODE.matcher(name).matches()) {
            throw invalid("node", name, "set it, or NODE_NAME, to the node's name in Kubernetes");
        }
        return name;
    }

    /** The host name in lower case, as kubelet uses it. */
    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName().toLowerCase(Locale.ROOT);
        } catch (UnknownHostException e) {
            return "";
        }
    }

    private static Discovery discovery(AgentConfig config) {
        return new Discovery(
                new PciTree(folder(Path.of(config.sys())), Path.of(config.proc())),
                deviceTable(config.devices().strip()),
                nonBlank(config.pciIds()).map(Path::of).toList(),
                nonBlank(config.exclude()).map(Exclusion::new).toList());
    }

    static Path folder(Path sys) {
        if (!Files.isDirectory(sys)) {
            throw invalid("sys", sys.toString(), "it is not a folder; set it to the mount point of sysfs");
        }
        return sys;
    }

    private static DeviceTable deviceTable(String file) {
        try {
            return file.isEmpty() ? DeviceTable.builtIn() : DeviceTable.withOverrides(Path.of(file));
        } catch (IOException e) {
            throw invalid("devices", file, "it cannot be read (%s); name a readable file".formatted(e));
        }
    }

    private static String effect(String effect) {
        if (!EFFECTS.contains(effect)) {
            throw invalid("taint-effect", effect, "use one of " + String.join(", ", EFFECTS));
        }
        return effect;
    }

    private static Duration positive(String name, Duration value) {
        if (!value.isPositive()) {
            throw invalid(name, value.toString(), "use a time above zero, such as 10s");
        }
        return value;
    }

    private static long bytes(long value) {
        if (value < 1 || value > Integer.MAX_VALUE) {
            throw invalid("scrape-bytes-max", Long.toString(value), "use a number of bytes from 1 to 2147483647");
        }
        return value;
    }

    private static URI address(String text) {
        try {
            URI address = URI.create(text);
            boolean isHttp = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
            if (isHttp && address.getHost() != null && address.getUserInfo() == null) {
                return address;
            }
        } catch (IllegalArgumentException e) {
            // reported below
        }
        throw invalid("exporters", text, "use addresses like http://localhost:9400/metrics, without user and password");
    }

    private static SortedSet<Integer> xids(List<String> values) {
        return nonBlank(values)
                .map(value -> {
                    if (!value.matches("[0-9]{1,6}")) {
                        throw invalid("fatal-xids", value, "use numbers with commas between");
                    }
                    return Integer.valueOf(value);
                })
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static IllegalArgumentException invalid(String setting, String value, String remedy) {
        return new IllegalArgumentException("%s%s is '%s': %s".formatted(PREFIX, setting, value, remedy));
    }
}

package dev.claimstream.process.settings;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The settings that one service reads. */
final class ServiceSettings {
    private static final int STREAMS_MAX = 10_000;
    private static final Set<ServiceName> AGENT = EnumSet.of(ServiceName.AGENT);
    private static final Set<ServiceName> ALLOCATOR = EnumSet.of(ServiceName.ALLOCATOR);
    private static final Set<ServiceName> CONSOLE = EnumSet.of(ServiceName.CONSOLE);
    private static final Set<ServiceName> HISTORY = EnumSet.of(ServiceName.HISTORY);
    private static final Set<ServiceName> SIMULATOR = EnumSet.of(ServiceName.SIMULATOR);
    private static final Set<ServiceName> WATCHER = EnumSet.of(ServiceName.WATCHER);
    private static final Set<ServiceName> WRITER = EnumSet.of(ServiceName.WRITER);

    static final SettingType INSTANCE = SettingType.name("name");
    private static final SettingType POSITIVE = SettingType.duration(Duration.ofMillis(1));
    static final SettingType PIN = SettingType.oneOf("auto", "always", "never");

    private ServiceSettings() {}

    static List<Setting> all() {
        return Stream.of(
                        agent(),
                        liveness(),
                        AllocatorServiceSettings.all(),
                        archive(),
                        console(),
                        history(),
                        simulator(),
                        watcher(),
                        writer())
                .flatMap(List::stream)
                .toList();
    }

    /** Returns the setting that switches a service of a common process off. */
    static Setting enabled(Set<ServiceName> service, String name) {
        return Setting.of(
                        "claimstream." + name + ".enabled",
                        SettingType.flag(),
                        service,
                        "Whether the process runs this service. A process of its own runs one service only.")
                .withDefault("true");
    }

    private static List<Setting> agent() {
        return List.of(
                enabled(AGENT, "agent"),
                agent(
                        "mode",
                        SettingType.oneOf("node"),
                        "`node`: this machine is scanned, the default of a process of its own."),
                agent(
                        "files",
                        SettingType.path("file or folder").list(),
                        "Manifests of ResourceSlices: a simulated fleet instead of this machine."),
                agent(
                        "node",
                        SettingType.text("name"),
                        "Name of the node. Default: `NODE_NAME`, else the name of the host."),
                agent("sys", SettingType.path("folder"), "Root of sysfs.").withDefault("/sys"),
                agent("proc", SettingType.path("folder"), "Root of procfs.").withDefault("/proc"),
                agent("pci-ids", SettingType.path("file").list(), "Names of devices; the first file that exists.")
                        .withDefault("/usr/share/misc/pci.ids,/usr/share/hwdata/pci.ids"),
                agent("devices", SettingType.text("file"), "File with additional lines of the table of devices."),
                agent(
                        "exclude",
                        SettingType.text("pattern").list(),
                        "Devices that are not published: `0000:3b:00.0`, `0000:3b:*`, `10de:2335`, `driver=vfio-pci`,"
                                + " `type=nic`."),
                agent(
                                "slices",
                                SettingType.flag(),
                                "Whether ResourceSlices are published; `false`: heartbeats and telemetry only.")
                        .withDefault("true"),
                agent(
                                "taint-effect",
                                SettingType.oneOf("NoSchedule", "NoExecute", "None"),
                                "Effect of the taints of unhealthy devices.")
                        .withDefault("NoSchedule"),
                agent(
                                "fatal-xids",
                                SettingType.of(
                                                "number",
                                                "use numbers with commas between",
                                                text -> text.matches("[0-9]{0,6}"))
                                        .list(),
                                "Error codes of NVIDIA that make a GPU unhealthy.")
                        .withDefault("48,64,79,95,119,120,140"),
                agent("recovery", POSITIVE, "Time with healthy readings after which a taint is removed.")
                        .withDefault("60s"),
                agent("scan-every", POSITIVE, "Interval of scans, at most once per heartbeat.")
                        .withDefault("10s"),
                agent("heartbeat-every", POSITIVE, "Interval of heartbeats.").withDefault("5s"),
                agent(
                        "exporters",
                        SettingType.of(
                                        "URL",
                                        "use addresses like http://localhost:9400/metrics, without user and password",
                                        text -> text.isBlank()
                                                || SettingType.httpUrl("")
                                                        .accepts()
                                                        .test(text))
                                .list(),
                        "Exporters of metrics on this node, such as `http://localhost:9400/metrics`."),
                agent("scrape-every", POSITIVE, "Interval of scrapes.").withDefault("15s"),
                agent("scrape-timeout", POSITIVE, "Time for the response of an exporter.")
                        .withDefault("5s"),
                agent("scrape-bytes-max", SettingType.number(1, Integer.MAX_VALUE), "Largest response of an exporter.")
                        .in("bytes")
                        .withDefault("8388608"));
    }

    private static Setting agent(String name, SettingType type, String meaning) {
        return Setting.of("claimstream.agent." + name, type, AGENT, meaning);
    }

    private static List<Setting> liveness() {
        return List.of(
                liveness("enabled", SettingType.flag(), "Whether this process judges which nodes are silent.")
                        .withDefault("false"),
                liveness(
                                "timeout",
                                SettingType.duration(Duration.ofSeconds(1)),
                                "Time without a heartbeat after which a node is silent.")
                        .withDefault("30s"),
                liveness("instance", INSTANCE, "Name of this process, different for each of them.")
                        .withDefault("liveness-0"));
    }

    private static Setting liveness(String name, SettingType type, String meaning) {
        return Setting.of("claimstream.liveness." + name, type, AGENT, meaning);
    }

    private static List<Setting> archive() {
        return List.of(
                Setting.of(
                        "claimstream.archive.folder",
                        SettingType.path("folder, or s3://bucket/prefix"),
                        ALLOCATOR,
                        "Place of an archive of `cells.in`, `router.in` and `ledger.v1`, which outlives the retention of"
                                + " the topics. Without it nothing is archived. Only one process may archive to a folder."),
                Setting.of(
                        "claimstream.archive.enabled",
                        SettingType.flag(),
                        ALLOCATOR,
                        "Whether this process archives. Default: every process that allocates. With `true` and"
                                + " `claimstream.allocator.enabled=false` it archives only."),
                Setting.of(
                                "claimstream.archive.every",
                                SettingType.duration(Duration.ofSeconds(1)),
                                ALLOCATOR,
                                "Interval at which new records are archived. Each run that finds records seals a segment. Keep it below"
                                        + " `3h`: from then on ClaimstreamLag fires.")
                        .withDefault("10m"),
                Setting.of(
                                "claimstream.archive.keep",
                                SettingType.duration(Duration.ZERO),
                                ALLOCATOR,
                                "Age above which segments are deleted. `0s` keeps them. Inputs that a replay of later"
                                        + " ones needs stay. A legal hold (`claimstream audit hold`) keeps everything.")
                        .withDefault("0s"),
                Setting.of(
                                "claimstream.archive.keep-bytes",
                                SettingType.number(0, Long.MAX_VALUE),
                                ALLOCATOR,
                                "Size of all segments above which the oldest ones are deleted, with the same exceptions. 0"
                                        + " keeps them.")
                        .withDefault("0"),
                Setting.of(
                                "claimstream.archive.states",
                                SettingType.flag(),
                                ALLOCATOR,
                                "Whether the states of the cells are archived, where `claimstream replay --from` begins."
                                        + " The process then holds the rows of one cell twice for the time of the copy.")
                        .withDefault("true"),
                Setting.of(
                                "claimstream.shadow.enabled",
                                SettingType.flag(),
                                ALLOCATOR,
                                "Whether this process decides the recorded inputs again and reports the first difference"
                                        + " from the ledger. It needs a second state of every cell, and reads only. With"
                                        + " `claimstream.allocator.enabled=false` it needs no permission to write.")
                        .withDefault("false"),
                Setting.of(
                                "claimstream.shadow.every",
                                SettingType.duration(Duration.ofMillis(100)),
                                ALLOCATOR,
                                "Interval at which the shadow reads new records.")
                        .withDefault("1s"),
                Setting.of(
                        "claimstream.shadow.policy",
                        SettingType.oneOf("best-fit", "first-fit"),
                        ALLOCATOR,
                        "Placement policy that the shadow tries on live traffic. It reports claims that it places elsewhere,"
                                + " pending times and utilisation. Not set: none. It needs a log with one cell."));
    }

    private static List<Setting> console() {
        return List.of(
                enabled(CONSOLE, "console"),
                Setting.of(
                                "claimstream.console.host",
                                SettingType.name("address or host name"),
                                CONSOLE,
                                "Listen address. Use the address of the pod in a cluster.")
                        .withDefault("127.0.0.1"),
                Setting.of("claimstream.console.port", SettingType.port(), CONSOLE, "Port; 0 for any free port.")
                        .withDefault("8410"),
                Setting.of(
                        "claimstream.console.allowed-hosts",
                        SettingType.host().list(),
                        CONSOLE,
                        "Host names under which other machines ask the console, such as the name of its Service. Loopback names"
                                + " and the listen address are always allowed."),
                Setting.of(
                                "claimstream.console.answer-within",
                                POSITIVE,
                                CONSOLE,
                                "Time for a response of a broker before the request is retried.")
                        .withDefault("10s"),
                Setting.of(
                                "claimstream.console.device-metrics",
                                SettingType.flag(),
                                CONSOLE,
                                "Whether `claimstream_device_info` exists: a series per device, with its claim."
                                        + " The dashboard of all vendors needs it.")
                        .withDefault("false"),
                Setting.of(
                                "claimstream.console.idle-percent",
                                SettingType.number(0, 100),
                                CONSOLE,
                                "An allocated device counts as idle in metrics if its utilisation is below this.")
                        .in("percent")
                        .withDefault("5"),
                Setting.of(
                                "claimstream.console.node-pool-labels",
                                SettingType.name("label of nodes").list(),
                                CONSOLE,
                                "Labels of nodes whose value is the node pool in metrics; the first that a node has counts.")
                        .withDefault("karpenter.sh/nodepool,cloud.google.com/gke-nodepool,eks.amazonaws.com/nodegroup,"
                                + "kubernetes.azure.com/agentpool,node.kubernetes.io/instance-type"),
                Setting.of(
                                "claimstream.console.streams-max",
                                SettingType.number(1, STREAMS_MAX),
                                CONSOLE,
                                "Maximum of open streams of the page, one per visible window.")
                        .in("streams")
                        .withDefault("100"),
                Setting.of(
                                "claimstream.console.streams-per-client-max",
                                SettingType.number(1, STREAMS_MAX),
                                CONSOLE,
                                "Maximum of open streams of the page per client address.")
                        .in("streams")
                        .withDefault("20"),
                Setting.of(
                        "claimstream.console.history-url",
                        SettingType.httpUrl("http://127.0.0.1:8412"),
                        CONSOLE,
                        "Address of a history service, for usage and past holders. Without it the console has no past."),
                Setting.of(
                        "claimstream.console.simulator-url",
                        SettingType.httpUrl("http://127.0.0.1:8420"),
                        CONSOLE,
                        "Address of a simulator service, for what-if. Without it the console cannot simulate."));
    }

    private static List<Setting> simulator() {
        return List.of(
                enabled(SIMULATOR, "simulator"),
                Setting.of(
                                "claimstream.simulator.host",
                                SettingType.name("address or host name"),
                                SIMULATOR,
                                "Listen address. Keep it on loopback unless `access.mode` is `kubernetes`.")
                        .withDefault("127.0.0.1"),
                Setting.of("claimstream.simulator.port", SettingType.port(), SIMULATOR, "Port; 0 for any free port.")
                        .withDefault("8420"),
                Setting.of(
                        "claimstream.simulator.allowed-hosts",
                        SettingType.host().list(),
                        SIMULATOR,
                        "Host names under which other machines ask the simulator. Loopback names and the listen address are"
                                + " always allowed."));
    }

    private static List<Setting> history() {
        return List.of(
                enabled(HISTORY, "history"),
                Setting.of(
                                "claimstream.history.folder",
                                SettingType.path("folder"),
                                HISTORY,
                                "Folder of the database. If it is lost, it is built again from the topics and the archive.")
                        .required(),
                Setting.of(
                        "claimstream.history.archive",
                        SettingType.path("folder, or s3://bucket/prefix"),
                        HISTORY,
                        "Archive with inputs and ledger that the topics no longer have."),
                Setting.of(
                                "claimstream.history.host",
                                SettingType.name("address or host name"),
                                HISTORY,
                                "Listen address. Keep it on loopback unless `access.mode` is `kubernetes`.")
                        .withDefault("127.0.0.1"),
                Setting.of("claimstream.history.port", SettingType.port(), HISTORY, "Port; 0 for any free port.")
                        .withDefault("8412"),
                Setting.of(
                        "claimstream.history.allowed-hosts",
                        SettingType.host().list(),
                        HISTORY,
                        "Host names under which other machines ask the history. Loopback names and the listen address are always"
                                + " allowed."),
                Setting.of(
                                "claimstream.history.memory",
                                SettingType.name("amount like 512MB"),
                                HISTORY,
                                "Memory of the database outside the heap, queries included.")
                        .withDefault("512MB"),
                Setting.of(
                                "claimstream.history.names-keep",
                                SettingType.duration(Duration.ZERO),
                                HISTORY,
                                "Time after the end of an interval at which the names of its pods, claim and namespace are"
                                        + " erased in the database. `0s` keeps them.")
                        .withDefault("0s"),
                Setting.of(
                        "claimstream.history.cost-weights",
                        SettingType.text("CLASS=WEIGHT").list(),
                        HISTORY,
                        "Cost of a weighted device hour by device class; 1 for other classes."));
    }

    private static List<Setting> watcher() {
        return List.of(
                enabled(WATCHER, "watcher"),
                Setting.of(
                        "claimstream.watcher.files",
                        SettingType.path("file or folder").list(),
                        WATCHER,
                        "Manifests to publish instead of the objects of a cluster."),
                Setting.of(
                        "claimstream.watcher.recorded-parameters",
                        SettingType.text("DRIVER").list(),
                        WATCHER,
                        "Drivers whose opaque parameters in claims and device classes of a cluster are recorded in topics;"
                                + " `*` for all. Not set: none, and the writer reads them from the cluster."));
    }

    private static List<Setting> writer() {
        return List.of(
                enabled(WRITER, "writer"),
                Setting.of(
                        "claimstream.writer.folder",
                        SettingType.path("folder"),
                        WRITER,
                        "Folder for claims that are written as files instead of to a cluster."),
                Setting.of("claimstream.writer.instance", INSTANCE, WRITER, "Name of the writer in its consumer group.")
                        .withDefault("writer"),
                Setting.of(
                                "claimstream.writer.parallel",
                                SettingType.number(1, Integer.MAX_VALUE),
                                WRITER,
                                "Maximum of claims that are written at once.")
                        .in("claims")
                        .withDefault("32"),
                Setting.of(
                                "claimstream.writer.pin",
                                PIN,
                                WRITER,
                                "Which pods are pinned to the node of their devices, by required node affinity.")
                        .withDefault("auto"),
                Setting.of(
                        "claimstream.writer.gate-timeout",
                        POSITIVE,
                        WRITER,
                        "Time after which a pod that fits no node loses its gate, so that node autoscalers see it. Not set:"
                                + " never."));
    }
}

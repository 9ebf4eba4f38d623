package dev.claimstream.process.settings;

import dev.claimstream.kafka.KafkaConnection;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The settings that several services read: files, connections, cluster, health and logs. */
final class SharedSettings {
    private static final Set<ServiceName> EVERY = EnumSet.allOf(ServiceName.class);
    private static final Set<ServiceName> TRACED =
            EnumSet.of(ServiceName.ALLOCATOR, ServiceName.WATCHER, ServiceName.WRITER);
    private static final Set<ServiceName> ANSWERING =
            EnumSet.of(ServiceName.CONSOLE, ServiceName.HISTORY, ServiceName.SIMULATOR);
    private static final Set<ServiceName> OBSERVING = EnumSet.of(ServiceName.WATCHER, ServiceName.WRITER);
    private static final Set<ServiceName> CLUSTER = EnumSet.of(
            ServiceName.WATCHER, ServiceName.WRITER, ServiceName.CONSOLE, ServiceName.HISTORY, ServiceName.SIMULATOR);

    private static final SettingType BOOTSTRAP = SettingType.of(
            "the host:port of Kafka", "use host:port, several with commas between", KafkaConnection::isBootstrap);
    private static final SettingType REGISTRY = SettingType.of(
            "the address of the schema registry",
            "use an address like http://localhost:8081, without user and password",
            SettingType.httpUrl("").accepts());

    private SharedSettings() {}

    static List<Setting> all() {
        return List.of(
                Setting.of(
                        SettingsFiles.CONFIG,
                        SettingType.path("file or folder").list(),
                        EVERY,
                        "Files of settings (`.yml`, `.yaml`, `.properties`), or folders of such files, in addition to"
                                + " `/etc/claimstream/application.yml`. A later file overrides an earlier one. Only as"
                                + " environment variable or system property."),
                Setting.of(
                                "claimstream.kafka.bootstrap",
                                BOOTSTRAP,
                                EVERY,
                                "Brokers of Kafka, several with commas between.")
                        .required(),
                Setting.of(
                                "claimstream.registry.url",
                                REGISTRY,
                                EVERY,
                                "Schema registry with Confluent's protocol, with the path of the protocol if it has one.")
                        .required(),
                Setting.of(
                                "claimstream.observability.host",
                                SettingType.name("address or host name"),
                                EVERY,
                                "Listen address of health and meters. Use the address of the pod in a cluster.")
                        .withDefault("127.0.0.1"),
                Setting.of(
                        "claimstream.observability.port",
                        SettingType.port(),
                        EVERY,
                        "Port of `/health`, `/health/live`, `/health/ready` and `/metrics`; 0 for any free port. Without it"
                                + " there is no server."),
                Setting.of(
                                "claimstream.log.level",
                                SettingType.oneOf("TRACE", "DEBUG", "INFO", "WARN", "ERROR"),
                                EVERY,
                                "Level of the log of Claimstream.")
                        .withDefault("INFO")
                        .changedBy(Setting.SettingChange.RELOAD),
                Setting.of(
                        "claimstream.tracing.endpoint",
                        SettingType.httpUrl("http://collector:4318"),
                        TRACED,
                        "OpenTelemetry collector (OTLP over HTTP) that gets the spans of claims. Without it there are none."),
                Setting.of(
                        "claimstream.kubernetes.kubeconfig",
                        SettingType.path("file"),
                        CLUSTER,
                        "Kubeconfig of the cluster."),
                Setting.of(
                        "claimstream.kubernetes.context",
                        SettingType.name("name"),
                        CLUSTER,
                        "Context of the kubeconfig, if it is not the current one."),
                Setting.of(
                                "claimstream.kubernetes.in-cluster",
                                SettingType.flag(),
                                CLUSTER,
                                "Whether to use the cluster in which the process runs.")
                        .withDefault("false"),
                Setting.of(
                        "claimstream.kubernetes.service-account",
                        SettingType.path("folder"),
                        CLUSTER,
                        "Folder of the pod's service account files, if it is not the default of Kubernetes."),
                Setting.of(
                                "claimstream.access.mode",
                                SettingType.oneOf("loopback", "kubernetes"),
                                ANSWERING,
                                "With `loopback`, every client that reaches the address sees everything. With"
                                        + " `kubernetes`, a request needs a bearer token that the API server accepts, and"
                                        + " its user sees what Kubernetes permits; this needs `kubernetes.in-cluster` or"
                                        + " `kubernetes.kubeconfig`.")
                        .withDefault("loopback"),
                Setting.of(
                                "claimstream.access.keep-for",
                                SettingType.duration(Duration.ofSeconds(1)),
                                ANSWERING,
                                "Time for which a review of a token or a permission is kept. A removed permission"
                                        + " stays in effect for this time.")
                        .withDefault("30s"),
                Setting.of(
                                "claimstream.access.entries-max",
                                SettingType.number(100, 10_000_000),
                                ANSWERING,
                                "Maximum number of kept reviews, for tokens and for permissions each.")
                        .in("reviews")
                        .withDefault("100000"),
                Setting.of(
                                "claimstream.kubernetes.all-claims",
                                SettingType.flag(),
                                OBSERVING,
                                "Whether every claim is managed, also if the cluster does not name its class.")
                        .withDefault("false"),
                Setting.of(
                                "claimstream.observe-only",
                                SettingType.flag(),
                                EnumSet.of(ServiceName.WATCHER, ServiceName.ALLOCATOR, ServiceName.WRITER),
                                "Whether kube-scheduler allocates, and Claimstream decides every claim in parallel, writes nothing"
                                        + " to the cluster, and reports differences (`claimstream differences`). A writer does"
                                        + " not start.")
                        .withDefault("false"),
                Setting.of(
                        "claimstream.kubernetes.require-single-writer",
                        SettingType.flag(),
                        EnumSet.of(ServiceName.WATCHER),
                        "Whether claims are published only while the API server enforces the policy"
                                + " `claimstream-single-writer`. Not set: as `in-cluster`, unless `all-claims` is `true`."),
                Setting.of(
                                "claimstream.show-at-start",
                                SettingType.flag(),
                                EnumSet.of(ServiceName.AGENT, ServiceName.WATCHER),
                                "Whether manifests are published at the start. If `false`, they are published when the program"
                                        + " that starts the process requests it.")
                        .withDefault("true"));
    }
}

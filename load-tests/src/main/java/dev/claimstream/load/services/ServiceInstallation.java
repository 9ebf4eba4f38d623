package dev.claimstream.load.services;

import dev.claimstream.dra.Kind;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.EmbeddedRegistry;
import dev.claimstream.kafka.registry.RegistryServer;
import dev.claimstream.kubernetes.controlplane.ControlPlane;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions;
import dev.claimstream.kubernetes.controlplane.ControlPlaneProgram;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import dev.claimstream.load.TemporaryFolders;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;

/**
 * A control plane with nodes, devices and the policies of {@code deploy/policies}, a broker and a registry in this
 * process, and services as processes with the settings of the Helm chart.
 */
final class ServiceInstallation implements AutoCloseable {
    /** The namespace of the pods, which is managed. */
    static final String NAMESPACE = "load";

    /** The device class of all claims. */
    static final String DEVICE_CLASS = "gpu.example.com";

    /** Time without heartbeats after which a node is silent. */
    static final Duration LIVENESS_TIMEOUT = Duration.ofSeconds(10);

    /** Interval of the archive. A measurement would end within the ten minutes of the chart. */
    static final Duration ARCHIVE_EVERY = Duration.ofSeconds(5);

    private static final List<String> ANSWERING = List.of("console", "history", "simulator");
    private static final Path POLICIES = ProjectFolder.of("deploy", "policies");
    private static final Duration ADMIN_TIMEOUT = Duration.ofSeconds(30);

    private final Path folder;
    private final ControlPlane plane;
    private final KafkaBrokers brokers;
    private final EmbeddedRegistry registry;
    private final int registryPort;
    private RegistryServer registryServer;
    private final HttpClient client = HttpClient.newHttpClient();
    private final Map<String, ServiceInstance> processes = new LinkedHashMap<>();
    private final Map<String, Integer> ports = new LinkedHashMap<>();
    private final Thread shutdownHook = Thread.ofPlatform().unstarted(this::endProcesses);

    private ServiceInstallation(
            Path folder,
            ControlPlane plane,
            KafkaBrokers brokers,
            EmbeddedRegistry registry,
            RegistryServer registryServer) {
        this.folder = folder;
        this.plane = plane;
        this.brokers = brokers;
        this.registry = registry;
        this.registryServer = registryServer;
        registryPort = registryServer.url().getPort();
        Runtime.getRuntime().addShutdownHook(shutdownHook);
    }

    /** Runs when the whole program ends, for example by Ctrl-C. */
    private synchronized void endProcesses() {
        processes.values().forEach(ServiceInstance::close);
    }

    /** Starts control plane, broker and registry, and creates nodes with devices. No service runs yet. */
    static ServiceInstallation start(int nodes, int devices, int cells) throws IOException {
        Path folder = Files.createTempDirectory("claimstream-services");
        ControlPlaneProgram program = ControlPlaneProgram.find().orElseThrow();
        return start(folder, program, KafkaBrokers.embedded(folder), nodes, devices, cells);
    }

    /**
     * Starts control plane and registry beside brokers, which it closes at its end, as it deletes the folder.
     *
     * @param folder of the services
     * @param program of the control plane
     */
    static ServiceInstallation start(
            Path folder, ControlPlaneProgram program, KafkaBrokers brokers, int nodes, int devices, int cells)
            throws IOException {
        var plane = ControlPlane.start(program, ControlPlaneOptions.DEFAULT.with(ControlPlaneOptions.Rates.RAISED));
        plane.kubectl(ControlPlaneUser.ADMIN, "", "apply", "-f", POLICIES.toString());
        var unused = plane.runLoad(
                "--nodes=" + nodes,
                "--devices=" + devices,
                "--pods=0",
                "--namespace=" + NAMESPACE,
                "--labels=claimstream.dev/managed=true");
        KafkaConnection kafka = brokers.connection();
        try (var admin = Admin.create(kafka.properties())) {
            var unusedTopics = new TopicSetup(admin, ADMIN_TIMEOUT)
                    .createMissing(Topics.shipped().forCells(cells));
        }
        var registry = EmbeddedRegistry.open(kafka);
        return new ServiceInstallation(folder, plane, brokers, registry, registry.serve(0));
    }

    ControlPlane plane() {
        return plane;
    }

    /** The folder of all services, which is deleted at the end. */
    Path folder() {
        return folder;
    }

    KafkaConnection kafka() {
        return brokers.connection();
    }

    HttpClient client() {
        return client;
    }

    /**
     * Starts a service, or starts it again under its name with the same folder.
     *
     * @param name the service and a number, such as {@code writer-0}; {@code archive} is an allocator that archives
     *     only
     * @param options JVM options
     */
    ServiceInstance start(String name, List<String> options) throws IOException {
        return start(name, options, List.of(), Map.of());
    }

    /**
     * The same with another environment.
     *
     * @param prefix words before the command
     * @param environment variables beside the settings
     */
    ServiceInstance start(String name, List<String> options, List<String> prefix, Map<String, String> environment)
            throws IOException {
        return start(name, ServiceJars.built(), options, prefix, environment);
    }

    /** The same with the jars of another version. */
    synchronized ServiceInstance start(
            String name, ServiceJars jars, List<String> options, List<String> prefix, Map<String, String> environment)
            throws IOException {
        String service = name.substring(0, name.indexOf('-'));
        int port = FreePort.next();
        if (ANSWERING.contains(service)) {
            ports.put(name, FreePort.next());
        }
        Map<String, String> settings = settings(service, name);
        settings.putAll(environment);
        var process = ServiceInstance.start(
                client, jars, words(service), prefix, options, settings, folder.resolve(name + ".log"), port);
        processes.put(name, process);
        return process;
    }

    private static List<String> words(String service) {
        return List.of("service", service.equals("archive") ? "allocator" : service);
    }

    /**
     * Starts {@code claimstream audit checkpoint} with the settings of the services.
     *
     * @param store place of the checkpoint, and the credentials as environment variables
     */
    synchronized ServiceInstance startCheckpoint(List<String> options, CheckpointStore store) throws IOException {
        Map<String, String> settings = connections();
        settings.putAll(store.environment());
        var words = List.of(
                "audit",
                "checkpoint",
                "--key=" + store.key(),
                "--publish=" + store.location(),
                "--bootstrap=" + kafka().bootstrap());
        var process = ServiceInstance.start(
                client,
                ServiceJars.built(),
                words,
                List.of(),
                options,
                settings,
                folder.resolve("checkpoints.log"),
                FreePort.next());
        processes.put("checkpoints", process);
        return process;
    }

    /** Stops the HTTP server of the registry. */
    void stopRegistry() {
        registryServer.close();
    }

    /** Starts the HTTP server of the registry again, on the same port. */
    void startRegistry() {
        registryServer = registry.serve(registryPort);
    }

    ServiceInstance get(String name) {
        return Objects.requireNonNull(processes.get(name), name);
    }

    /** Returns the port on which a service answers users. */
    int answerPort(String name) {
        return Objects.requireNonNull(ports.get(name), name);
    }

    private Map<String, String> connections() {
        Map<String, String> settings = new LinkedHashMap<>(Map.of(
                "CLAIMSTREAM_KAFKA_BOOTSTRAP", kafka().bootstrap(),
                "CLAIMSTREAM_REGISTRY_URL", registryServer.url().toString()));
        settings.putAll(brokers.serviceSettings());
        return settings;
    }

    private Map<String, String> settings(String service, String name) {
        Map<String, String> settings = connections();
        switch (service) {
            case "allocator" ->
                settings.putAll(Map.of(
                        "CLAIMSTREAM_ALLOCATOR_INSTANCE",
                        name,
                        "CLAIMSTREAM_ALLOCATOR_STATE_FOLDER",
                        folder.resolve(name).toString(),
                        "CLAIMSTREAM_ALLOCATOR_PIN",
                        "auto",
                        "CLAIMSTREAM_LIVENESS_ENABLED",
                        "true",
                        "CLAIMSTREAM_LIVENESS_INSTANCE",
                        "liveness-" + name,
                        "CLAIMSTREAM_LIVENESS_TIMEOUT",
                        LIVENESS_TIMEOUT.toSeconds() + "s",
                        "JAVA_TOOL_OPTIONS",
                        sources()));
            case "watcher" ->
                settings.put(
                        "CLAIMSTREAM_KUBERNETES_KUBECONFIG",
                        plane.kubeconfig(ControlPlaneUser.WATCHER).toString());
            case "writer" ->
                settings.putAll(Map.of(
                        "CLAIMSTREAM_KUBERNETES_KUBECONFIG",
                        plane.kubeconfig(ControlPlaneUser.WRITER).toString(),
                        "CLAIMSTREAM_WRITER_INSTANCE",
                        name));
            case "console" -> settings.put("CLAIMSTREAM_CONSOLE_PORT", Integer.toString(answerPort(name)));
            case "simulator" -> settings.put("CLAIMSTREAM_SIMULATOR_PORT", Integer.toString(answerPort(name)));
            case "history" ->
                settings.putAll(Map.of(
                        "CLAIMSTREAM_HISTORY_PORT",
                        Integer.toString(answerPort(name)),
                        "CLAIMSTREAM_HISTORY_FOLDER",
                        folder.resolve(name).toString()));
            case "shadow" -> {} // the defaults are those of the chart
            case "archive" ->
                settings.putAll(Map.of(
                        "CLAIMSTREAM_ALLOCATOR_ENABLED",
                        "false",
                        "CLAIMSTREAM_ARCHIVE_ENABLED",
                        "true",
                        "CLAIMSTREAM_ARCHIVE_FOLDER",
                        folder.resolve(name).toString(),
                        "CLAIMSTREAM_ARCHIVE_EVERY",
                        ARCHIVE_EVERY.toSeconds() + "s"));
            case "agent" -> settings.putAll(Map.of("CLAIMSTREAM_AGENT_SLICES", "false", "NODE_NAME", name));
            default -> throw new IllegalArgumentException(service);
        }
        return settings;
    }

    /** Returns the options for an allocator that decides nothing before the watcher has listed every kind. */
    private static String sources() {
        return Arrays.stream(Kind.values())
                .map(kind -> "-Dclaimstream.allocator.sources.%s=watcher".formatted(kind.apiName()))
                .collect(Collectors.joining(" "));
    }

    @Override
    public void close() throws IOException {
        Runtime.getRuntime().removeShutdownHook(shutdownHook);
        endProcesses();
        client.shutdownNow();
        registryServer.close();
        registry.close();
        brokers.close();
        plane.close();
        TemporaryFolders.delete(folder);
    }
}

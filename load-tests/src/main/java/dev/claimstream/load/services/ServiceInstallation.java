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

    KafkaConnection kafka() {
        return brokers.connection();
    }

    HttpClient client() {
        return client;
    }

    /**
     * Starts a service, or starts it again under its name with the same folder.
     *
     * @param name the service and a number, such as {@code writer-0}
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
        if (service.equals("console")) {
            ports.put(name, FreePort.next());
        }
        Map<String, String> settings = settings(service, name);
        settings.putAll(environment);
        var process = ServiceInstance.start(
                client, jars, service, prefix, options, settings, folder.resolve(name + ".log"), port);
        processes.put(name, process);
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

    /** Returns the port of a console. */
    int consolePort(String name) {
        return Objects.requireNonNull(ports.get(name), name);
    }

    private Map<String, String> settings(String service, String name) {
        Map<String, String> settings = new LinkedHashMap<>(Map.of(
                "CLAIMSTREAM_KAFKA_BOOTSTRAP", kafka().bootstrap(),
                "CLAIMSTREAM_REGISTRY_URL", registryServer.url().toString()));
        settings.putAll(brokers.serviceSettings());
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
            case "console" -> settings.put("CLAIMSTREAM_CONSOLE_PORT", Integer.toString(consolePort(name)));
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

package dev.claimstream.cli.standalone;

import dev.claimstream.agent.SimulatedFleet;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectListing;
import dev.claimstream.dra.Selectors;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.PublicTopicProducer;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.EmbeddedBroker;
import dev.claimstream.kafka.registry.EmbeddedRegistry;
import dev.claimstream.kafka.registry.RegistryServer;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.observability.CutRequests;
import dev.claimstream.observability.Meters;
import dev.claimstream.observability.ProcessMeter;
import dev.claimstream.process.http.ListenException;
import dev.claimstream.process.settings.InvalidSettingsException;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.watcher.ClusterWatcher;
import dev.claimstream.watcher.SnapshotPublisher;
import dev.claimstream.writer.DecisionCommitter;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.exceptions.BeanInstantiationException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;

/** The broker, the schema registry and all services in this JVM. */
public final class StandaloneStack implements AutoCloseable {
    private static final String SOURCES = "claimstream.allocator.sources.";
    private static final Duration ADMIN_TIMEOUT = Duration.ofSeconds(30);

    private final EmbeddedBroker broker;
    private final KafkaConnection kafka;
    private final EmbeddedRegistry registry;
    private final RegistryServer server;

    private StandaloneStack(
            EmbeddedBroker broker, KafkaConnection kafka, EmbeddedRegistry registry, RegistryServer server) {
        this.broker = broker;
        this.kafka = kafka;
        this.registry = registry;
        this.server = server;
    }

    /**
     * Starts broker and registry on a folder, on free ports.
     *
     * @throws dev.claimstream.kafka.broker.BrokerStartException if the broker cannot start; the message has the remedy
     */
    public static StandaloneStack start(Path folder) {
        return start(folder, StandalonePorts.free());
    }

    /** Starts broker and registry on the given ports. */
    public static StandaloneStack start(Path folder, StandalonePorts ports) {
        return start(folder, ports, 1);
    }

    /**
     * Starts broker and registry, with topics for the given number of cells.
     *
     * @throws dev.claimstream.process.http.ListenException if another process has taken the port of the registry
     */
    public static StandaloneStack start(Path folder, StandalonePorts ports, int cells) {
        var settings = BrokerSettings.in(folder.resolve("kafka"));
        var broker = EmbeddedBroker.start(
                ports.broker().isPresent() ? settings.onPort(ports.broker().getAsInt()) : settings);
        try {
            var kafka = KafkaConnection.plain(broker.bootstrap());
            try (var admin = Admin.create(kafka.properties())) {
                new TopicSetup(admin, ADMIN_TIMEOUT)
                        .createMissing(Topics.shipped().forCells(cells));
            }
            var registry = EmbeddedRegistry.open(kafka);
            return new StandaloneStack(
                    broker, kafka, registry, serve(registry, ports.registry().orElse(0)));
        } catch (RuntimeException e) {
            broker.close();
            throw e;
        }
    }

    private static RegistryServer serve(EmbeddedRegistry registry, int port) {
        try {
            return registry.serve(port);
        } catch (UncheckedIOException e) {
            registry.close();
            throw PortOptions.taken(port, PortOptions.OPTION_REGISTRY, e);
        }
    }

    public KafkaConnection kafka() {
        return kafka;
    }

    public SchemaRegistry registry() {
        return registry;
    }

    /** Returns the address of the registry for other programs, with Confluent's REST protocol. */
    public URI registryUrl() {
        return server.url();
    }

    public EmbeddedBroker broker() {
        return broker;
    }

    /** Starts all services on the objects of a listing, without a console. */
    public ApplicationContext startServices(
            ObjectListing listing, Selectors selectors, DecisionCommitter commits, RunSettings settings, Path folder) {
        Map<String, Object> properties = properties(settings, folder);
        properties.put("claimstream.show-at-start", false);
        properties.put("claimstream.console.enabled", false);
        properties.put("claimstream.archive.folder", ""); // its log ends with the process
        for (Kind kind : Kind.values()) {
            properties.put(
                    SOURCES + kind.apiName(),
                    kind == Kind.RESOURCE_SLICE ? SimulatedFleet.SOURCE : SnapshotPublisher.SOURCE);
        }
        return context(properties, listing, selectors, commits);
    }

    /**
     * Starts all services on a cluster whose objects change. The console listens after its server is started.
     *
     * <p>In observe-only mode the services get a client that can only list and watch. So there is no writer.
     *
     * @param cluster client for all reads and writes of the services
     * @param consolePort 0 for any free port
     */
    ApplicationContext startLongRunningServices(
            ClusterWatch cluster, CelSelectors selectors, RunSettings settings, Path folder, int consolePort) {
        Map<String, Object> properties = properties(settings, folder);
        for (Kind kind : Kind.values()) {
            properties.put(SOURCES + kind.apiName(), ClusterWatcher.SOURCE);
        }
        properties.put("claimstream.liveness.enabled", true);
        settings.services().forEach(each -> each.addSettings(properties, folder));
        properties.put("micronaut.server.host", Loopback.HOST);
        properties.put("micronaut.server.port", consolePort == 0 ? -1 : consolePort);
        properties.put("micronaut.server.max-request-size", "64MB");
        return context(
                properties,
                settings.observeOnly() ? new ReadOnlyCluster(cluster) : cluster,
                selectors,
                settings.features());
    }

    private static Map<String, Object> properties(RunSettings settings, Path folder) {
        Map<String, Object> properties = new TreeMap<>();
        properties.put(
                "claimstream.allocator.state-folder", folder.resolve("state").toString());
        properties.put("claimstream.allocator.policy", settings.policy());
        properties.put("claimstream.allocator.search-steps-max", settings.searchStepsMax());
        properties.put("claimstream.allocator.features", settings.features().toString());
        properties.put("claimstream.allocator.cool-down", settings.coolDown().toString());
        properties.put("claimstream.allocator.pin", settings.binds() ? "${claimstream.writer.pin:auto}" : "never");
        properties.put("claimstream.allocator.kube-scheduler", settings.binds());
        settings.threads().ifPresent(threads -> properties.put("claimstream.allocator.threads", threads));
        properties.put("claimstream.observe-only", settings.observeOnly());
        properties.put("claimstream.allocator.rebuild", settings.rebuild());
        return properties;
    }

    private ApplicationContext context(Map<String, Object> properties, Object... beans) {
        var builder = ApplicationContext.builder()
                .banner(false)
                .deduceEnvironment(false)
                .deduceCloudEnvironment(false)
                .properties(properties)
                .singletons(kafka, registry)
                .singletons(beans);
        ApplicationContext context;
        try {
            context = builder.start();
        } catch (BeanInstantiationException e) {
            throw InvalidSettingsException.in(e)
                    .<RuntimeException>map(each -> each)
                    .or(() -> ListenException.in(e))
                    .orElse(e);
        }
        Meters meters = context.getBean(Meters.class);
        PublicTopicProducer.NAMES.forEach(topic ->
                meters.showSum(ProcessMeter.BROKER_REJECTED, broker, each -> each.rejectedBytes(topic), topic));
        meters.showSum(ProcessMeter.BROKER_CUT, broker, _ -> CutRequests.count());
        return context;
    }

    @Override
    public void close() {
        try {
            server.close();
            registry.close();
        } finally {
            broker.close();
        }
    }
}

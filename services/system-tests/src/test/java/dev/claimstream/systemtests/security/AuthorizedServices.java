package dev.claimstream.systemtests.security;

import dev.claimstream.allocator.Allocator;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.kubernetes.miniature.MiniatureCluster;
import dev.claimstream.kubernetes.streams.TopicStore;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.observability.Health;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.systemtests.process.FreePorts;
import dev.claimstream.watcher.ClusterWatcher;
import io.micronaut.context.ApplicationContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** All services in this JVM, each with its own principal, for a simulated cluster. */
final class AuthorizedServices implements AutoCloseable {
    static final List<String> NAMES = List.of("agent", "allocator", "console", "watcher", "writer");

    /** Services that read the log and write nothing to Kafka. A test starts each of them for itself. */
    static final List<String> FOLLOWERS = List.of("archive", "history", "shadow", "simulator");

    /** Inputs between two snapshots: so few that the archive has a state to archive. */
    private static final int SNAPSHOT_EVERY = 20;

    private final AuthorizedBroker broker;
    private final Path folder;
    private final SchemaRegistry registry;
    private final CelSelectors selectors = new CelSelectors();
    private final MiniatureCluster cluster;
    private final Map<String, ApplicationContext> contexts = new TreeMap<>();
    private final Map<String, Integer> answerPorts = new TreeMap<>();
    private String archive = "";
    private int starts;

    AuthorizedServices(AuthorizedBroker broker, Path folder, SchemaRegistry registry) {
        this.registry = registry;
        this.broker = broker;
        this.folder = folder;
        cluster = MiniatureCluster.open(new TopicStore(broker.administrator()));
    }

    void startAll() throws IOException {
        for (String name : NAMES) {
            start(name);
        }
    }

    /** Starts a service with the SCRAM user of its principal. */
    void start(String name) throws IOException {
        start(name, broker.connection(name));
    }

    void start(String name, KafkaConnection kafka) throws IOException {
        start(name, kafka, Map.of());
    }

    /** @param settings in addition to those of the service */
    void start(String name, KafkaConnection kafka, Map<String, Object> settings) throws IOException {
        Map<String, Object> properties = new TreeMap<>();
        NAMES.forEach(each -> properties.put("claimstream.%s.enabled".formatted(each), each.equals(name)));
        var builder = ApplicationContext.builder()
                .banner(false)
                .deduceEnvironment(false)
                .deduceCloudEnvironment(false)
                .singletons(kafka, registry, selectors);
        switch (name) {
            case "agent" -> putAgent(properties);
            case "allocator" -> putAllocator(properties);
            case "watcher", "writer" -> builder.singletons(cluster);
            case "archive" ->
                properties.putAll(Map.of(
                        "claimstream.archive.enabled",
                        true,
                        "claimstream.archive.folder",
                        newArchive(),
                        "claimstream.archive.every",
                        "200ms"));
            case "shadow" ->
                properties.putAll(Map.of("claimstream.shadow.enabled", true, "claimstream.shadow.every", "100ms"));
            case "history", "simulator" -> putAnswering(name, properties);
            default -> {}
        }
        properties.putAll(settings);
        contexts.put(name, builder.properties(properties).start());
    }

    private void putAgent(Map<String, Object> properties) throws IOException {
        Path empty = Files.createDirectories(folder.resolve("sys"));
        properties.putAll(Map.of(
                "claimstream.agent.mode", "node",
                "claimstream.agent.node", "node-1",
                "claimstream.agent.sys", empty.toString(),
                "claimstream.agent.proc", empty.toString(),
                "claimstream.agent.heartbeat-every", "200ms"));
    }

    private void putAllocator(Map<String, Object> properties) {
        properties.put(
                "claimstream.allocator.state-folder", folder.resolve("state").toString());
        properties.put("claimstream.allocator.snapshot-every", SNAPSHOT_EVERY);
        properties.put("claimstream.liveness.enabled", true);
        for (Kind kind : Kind.values()) {
            properties.put("claimstream.allocator.sources." + kind.apiName(), ClusterWatcher.SOURCE);
        }
    }

    private void putAnswering(String name, Map<String, Object> properties) throws IOException {
        int port = FreePorts.of(1).getFirst();
        answerPorts.put(name, port);
        properties.put("claimstream.%s.enabled".formatted(name), true);
        properties.put("claimstream.%s.port".formatted(name), port);
        if (name.equals("history")) {
            properties.put("claimstream.history.memory", "128MB");
            properties.put(
                    "claimstream.history.folder",
                    folder.resolve("history-" + ++starts).toString());
        }
    }

    /** A new folder, because the archive reads the states in an existing one. */
    private String newArchive() {
        archive = folder.resolve("archive-" + ++starts).toString();
        return archive;
    }

    /** The folder of the last archive. */
    String archive() {
        return archive;
    }

    /** The address at which a service answers users. */
    String address(String name) {
        return "http://127.0.0.1:" + Optional.ofNullable(answerPorts.get(name)).orElseThrow();
    }

    void stop(String name) {
        Optional.ofNullable(contexts.remove(name)).ifPresent(ApplicationContext::close);
    }

    /** Starts the allocator again if a failure has ended it, as Kubernetes does with its pod. */
    void restartFailedAllocator() throws IOException {
        if (bean("allocator", Allocator.class).failure().isPresent()) {
            stop("allocator");
            start("allocator");
        }
    }

    /** Health of a service, one line per part, and the failure that stopped it. */
    String report(String name) {
        ApplicationContext context = Optional.ofNullable(contexts.get(name)).orElseThrow();
        String failure =
                context.findBean(Allocator.class).flatMap(Allocator::failure).orElse("");
        return context.getBean(Health.class).report().parts().stream()
                .map(part -> "%s %s: %s"
                        .formatted(
                                part.name(),
                                part.condition().status(),
                                part.condition().sentence()))
                .collect(Collectors.joining("\n", "", "\n" + failure));
    }

    /** Health of all services. */
    String report() {
        return contexts.keySet().stream().map(this::report).collect(Collectors.joining("\n"));
    }

    <T> T bean(String name, Class<T> type) {
        return Optional.ofNullable(contexts.get(name)).orElseThrow().getBean(type);
    }

    void apply(String manifests) {
        cluster.apply(Manifests.read("test", manifests).manifests());
    }

    void delete(Kind kind, String name) {
        cluster.delete(kind, new ObjectKey("default", name));
    }

    /** Whether the writer has committed an allocation of the claim. */
    boolean isAllocated(String claim) {
        return cluster.find(Kind.RESOURCE_CLAIM, new ObjectKey("default", claim))
                .filter(each -> each.object() instanceof ResourceClaim found
                        && found.allocation().isPresent())
                .isPresent();
    }

    @Override
    public void close() {
        List.copyOf(contexts.keySet()).forEach(this::stop);
        cluster.close();
    }
}

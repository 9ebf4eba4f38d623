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

    private final AuthorizedBroker broker;
    private final Path folder;
    private final SchemaRegistry registry = SchemaRegistry.inMemory();
    private final CelSelectors selectors = new CelSelectors();
    private final MiniatureCluster cluster;
    private final Map<String, ApplicationContext> contexts = new TreeMap<>();

    AuthorizedServices(AuthorizedBroker broker, Path folder) {
        this.broker = broker;
        this.folder = folder;
        cluster = MiniatureCluster.open(new TopicStore(broker.administrator()));
    }

    SchemaRegistry registry() {
        return registry;
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
            default -> {}
        }
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
        properties.put("claimstream.liveness.enabled", true);
        for (Kind kind : Kind.values()) {
            properties.put("claimstream.allocator.sources." + kind.apiName(), ClusterWatcher.SOURCE);
        }
    }

    void stop(String name) {
        Optional.ofNullable(contexts.remove(name)).ifPresent(ApplicationContext::close);
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

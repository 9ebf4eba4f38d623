package dev.claimstream.systemtests.process;

import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.cli.standalone.Loopback;
import dev.claimstream.console.ConsumerStatus;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.EmbeddedBroker;
import dev.claimstream.kafka.registry.EmbeddedRegistry;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.kubernetes.miniature.MiniatureCluster;
import dev.claimstream.kubernetes.streams.TopicStore;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.watcher.ClusterWatcher;
import dev.claimstream.writer.Writer;
import io.micronaut.context.ApplicationContext;
import io.micronaut.runtime.server.EmbeddedServer;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;

/**
 * Main program of one component of {@code up} as a separate process. A component is broker and registry, or the cluster
 * with watcher, writer and console.
 */
public final class ComponentProgram {
    public static final String READY = "ready";

    private ComponentProgram() {}

    public static void main(String[] args) throws InterruptedException {
        Path folder = Path.of(args[1]);
        switch (args[0]) {
            case "broker" ->
                broker(
                        folder,
                        Integer.parseInt(args[2]),
                        Integer.parseInt(args[3]),
                        topics(Integer.parseInt(args[4]), Integer.parseInt(args[5])));
            case "cluster" -> cluster(folder, args[2], URI.create(args[3]));
            default -> throw new IllegalArgumentException("no part " + args[0]);
        }
    }

    /**
     * Returns the topics.
     *
     * @param partitions of each of the public topics
     */
    private static Topics topics(int cells, int partitions) {
        return Topics.shipped()
                .forCells(cells)
                .withPartitions(Map.of(Topics.INVENTORY, partitions, Topics.CLAIMS, partitions));
    }

    private static void broker(Path folder, int port, int registryPort, Topics topics) {
        var broker = EmbeddedBroker.start(BrokerSettings.in(folder).onPort(port));
        var kafka = KafkaConnection.plain(broker.bootstrap());
        try (var admin = Admin.create(kafka.properties())) {
            new TopicSetup(admin, Duration.ofMinutes(1)).createMissing(topics);
        }
        var server = EmbeddedRegistry.open(kafka).serve(registryPort);
        System.out.println(READY + " " + server.url());
        var unused = broker.fault().join();
        System.exit(1);
    }

    private static void cluster(Path folder, String bootstrap, URI registry) throws InterruptedException {
        var kafka = KafkaConnection.plain(bootstrap);
        var schemas = new RestRegistry(RestRegistry.RegistrySettings.of(registry));
        var data = DataFolder.open(folder);
        var cluster = MiniatureCluster.open(new TopicStore(kafka));
        var context = ApplicationContext.builder()
                .banner(false)
                .deduceEnvironment(false)
                .deduceCloudEnvironment(false)
                .properties(Map.of(
                        "claimstream.allocator.enabled",
                        "false",
                        "micronaut.server.host",
                        Loopback.HOST,
                        "micronaut.server.port",
                        data.port("console").orElse(-1),
                        "micronaut.server.max-request-size",
                        "64MB"))
                .singletons(kafka, schemas, cluster, new CelSelectors())
                .start();
        var server = context.getBean(EmbeddedServer.class).start();
        var watcher = context.getBean(ClusterWatcher.class);
        while (!watcher.isFresh() || !context.getBean(ConsumerStatus.class).isCaughtUp()) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        data.savePorts(0, 0, server.getPort());
        data.publishEndpoint(
                new Endpoint(server.getURI(), ProcessHandle.current().pid(), bootstrap, registry, Optional.empty()));
        System.out.println(READY);
        while (watcher.isAlive()
                && context.getBean(Writer.class).isAlive()
                && context.getBean(ConsumerStatus.class).isAlive()) {
            TimeUnit.MILLISECONDS.sleep(200);
        }
        System.err.println("watcher, writer or console ended");
        System.exit(1);
    }
}

package dev.claimstream.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.PublicTopicProducer;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.EmbeddedBroker;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.observability.Health;
import dev.claimstream.wire.PublicRecord;
import io.micronaut.context.ApplicationContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests a console that starts before its broker and keeps running while the broker is down. */
@Timeout(120)
final class TopicReaderIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final SchemaRegistry REGISTRY = SchemaRegistry.inMemory();

    @TempDir
    private Path folder = Path.of("");

    private long version;

    @Test
    void waitsForBrokerAndReportsLostConnection() throws IOException, InterruptedException {
        BrokerSettings settings = BrokerSettings.in(folder).onPort(freePort());
        var kafka = KafkaConnection.plain("127.0.0.1:" + settings.port().orElseThrow());
        try (var console = console(kafka)) {
            awaitHealth(console, "down", "still reads the decisions: %s does not respond".formatted(kafka.bootstrap()));
            try (var _ = EmbeddedBroker.start(settings)) {
                awaitHealth(console, "down", "missing topics (create them with 'claimstream topics'): inventory.v1, ");
                TopicSetup.createMissing(kafka, Topics.shipped(), TIMEOUT);
                publishAndAwait(console, kafka, "node-1");
            }
            awaitHealth(console, "degraded", "up to the lost connection: no connection to " + kafka.bootstrap());
            try (var _ = EmbeddedBroker.start(settings)) {
                publishAndAwait(console, kafka, "node-1", "node-2");
            }
        }
    }

    private static ApplicationContext console(KafkaConnection kafka) {
        return ApplicationContext.builder()
                .banner(false)
                .deduceEnvironment(false)
                .properties(Map.of("claimstream.console.answer-within", "100ms"))
                .singletons(kafka, REGISTRY)
                .start();
    }

    /** Publishes the last of these nodes, and waits until the console shows all of them. */
    private void publishAndAwait(ApplicationContext console, KafkaConnection kafka, String... nodes)
            throws InterruptedException {
        try (var topics = new PublicTopicProducer(kafka, REGISTRY, "test")) {
            String name = nodes[nodes.length - 1];
            var node = new Node(ObjectMeta.of("", name, "uid-" + name), List.of(), false, true);
            if (PublicRecord.upsert(new Stamp("test", 1, ++version), node)
                    instanceof PublicRecord.InventoryTopicRecord(var key, var value)) {
                topics.send(key, value);
            }
            topics.flush();
        }
        awaitHealth(console, "up", "reads the decisions");
        await(nodes.length + " nodes", () -> nodes(console).equals(List.of(nodes)));
    }

    private static List<String> nodes(ApplicationContext console) {
        return console.getBean(ClusterView.class)
                .read(moment -> moment.all(Kind.NODE)
                        .map(each -> each.meta().name())
                        .sorted()
                        .toList());
    }

    private static void awaitHealth(ApplicationContext console, String status, String sentence)
            throws InterruptedException {
        String start = "\"console\":{\"status\":\"%s\",\"sentence\":\"".formatted(status);
        await(status + ": " + sentence, () -> {
            String health = console.getBean(Health.class).report().json();
            return health.contains(start) && health.contains(sentence);
        });
        assertThat(console.getBean(ConsumerStatus.class).isAlive()).isTrue();
    }

    private interface PollCondition {
        boolean isMet();
    }

    private static void await(String what, PollCondition condition) throws InterruptedException {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.isMet()) {
            assertThat(System.nanoTime()).as("no '%s' within %s", what, TIMEOUT).isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}

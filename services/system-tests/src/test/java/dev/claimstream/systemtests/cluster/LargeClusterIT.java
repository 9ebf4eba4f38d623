package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.standalone.Loopback;
import dev.claimstream.dra.Kind;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.EmbeddedBroker;
import dev.claimstream.kafka.registry.EmbeddedRegistry;
import dev.claimstream.systemtests.process.FreePorts;
import dev.claimstream.systemtests.process.Program;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the watcher as a separate process on a cluster that is larger than its heap. */
@Tag("part-3")
final class LargeClusterIT {
    private static final int PODS = 50_000;
    private static final int REMAINING = 10_000;
    private static final int HEAP_MB = 96;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    private Path folder = Path.of("");

    /**
     * The second process restores the records of the first one from the topics, and lists the cluster at the same time.
     */
    @Test
    void publishesTombstonesInClusterLargerThanHeap() throws IOException, InterruptedException {
        try (var api = new LargeApi(PODS);
                var broker = EmbeddedBroker.start(BrokerSettings.in(folder.resolve("broker")))) {
            KafkaConnection kafka = withTopics(broker);
            try (var registry = EmbeddedRegistry.open(kafka);
                    var server = registry.serve(0)) {
                Map<String, String> settings = settings(api, kafka, server.url());
                try (Program watcher = startWatcher(settings)) {
                    stopWatcher(watcher);
                }
                assertThat(api.bytes()).isGreaterThan((2L * HEAP_MB) << 20);
                PodKeys all = PodKeys.of(kafka);
                assertThat(all.pods).hasSize(PODS);
                assertThat(all.tombstones).isEmpty();
                api.keepFirst(REMAINING);
                try (Program watcher = startWatcher(settings)) {
                    Program.await(
                            () -> PodKeys.of(kafka).tombstones.size() == PODS - REMAINING || !watcher.isAlive(),
                            "all that have gone are forgotten",
                            PATIENCE);
                    stopWatcher(watcher);
                }
                assertThat(PodKeys.of(kafka).tombstones)
                        .hasSize(PODS - REMAINING)
                        .contains(key(REMAINING), key(PODS - 1))
                        .doesNotContain(key(REMAINING - 1));
            }
        }
    }

    private static String key(int pod) {
        return "Pod/team/" + LargeApi.name(pod);
    }

    private static KafkaConnection withTopics(EmbeddedBroker broker) {
        var kafka = KafkaConnection.plain(broker.bootstrap());
        try (var admin = Admin.create(kafka.properties())) {
            new TopicSetup(admin, Duration.ofSeconds(20)).createMissing(Topics.shipped());
        }
        return kafka;
    }

    // ---- the watcher

    private Map<String, String> settings(LargeApi api, KafkaConnection kafka, URI registry) throws IOException {
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                clusters: [{name: large, cluster: {server: "%s"}}]
                contexts: [{name: large, context: {cluster: large}}]
                current-context: large
                """.formatted(api.url()));
        return Map.of(
                "CLAIMSTREAM_KAFKA_BOOTSTRAP", kafka.bootstrap(),
                "CLAIMSTREAM_REGISTRY_URL", registry.toString(),
                "CLAIMSTREAM_KUBERNETES_KUBECONFIG", kubeconfig.toString(),
                "CLAIMSTREAM_OBSERVABILITY_PORT", FreePorts.of(1).getFirst().toString());
    }

    /** Starts a watcher and waits until it has synced every kind. */
    private Program startWatcher(Map<String, String> settings) throws IOException, InterruptedException {
        Program watcher =
                Program.start(folder, List.of("-Xmx%dm".formatted(HEAP_MB)), settings, "dev.claimstream.watcher.Main");
        URI health = URI.create(
                "http://%s:%s/health".formatted(Loopback.HOST, settings.get("CLAIMSTREAM_OBSERVABILITY_PORT")));
        String followed = "watching %d kinds".formatted(Kind.values().length);
        Program.await(() -> text(health).contains(followed) || !watcher.isAlive(), followed, PATIENCE);
        assertThat(watcher.isAlive()).as(watcher.err()).isTrue();
        return watcher;
    }

    /** Returns the page; empty if the server does not respond or is unhealthy. */
    private static String text(URI page) {
        try (InputStream body = page.toURL().openStream()) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    private static void stopWatcher(Program watcher) throws InterruptedException {
        watcher.interrupt();
        assertThat(watcher.awaitEnd()).as(watcher.err()).isZero();
        assertThat(watcher.err()).doesNotContain("OutOfMemoryError", "kind not watched");
    }

    // ---- published records

    /** Keys of pods in {@code claims.v1}, and those whose last record is a tombstone. */
    private record PodKeys(Set<String> pods, Set<String> tombstones) {
        static PodKeys of(KafkaConnection kafka) {
            var claims = new PodKeys(new HashSet<>(), new HashSet<>());
            try (var consumer = new KafkaConsumer<>(
                    ConsumerSettings.of(kafka, "reader").properties(),
                    new StringDeserializer(),
                    new ByteArrayDeserializer())) {
                List<TopicPartition> partitions = new ArrayList<>();
                consumer.partitionsFor(Topics.CLAIMS)
                        .forEach(each -> partitions.add(new TopicPartition(each.topic(), each.partition())));
                consumer.assign(partitions);
                consumer.seekToBeginning(partitions);
                Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
                while (ends.entrySet().stream().anyMatch(each -> consumer.position(each.getKey()) < each.getValue())) {
                    consumer.poll(Duration.ofMillis(50)).forEach(record -> {
                        if (record.key().startsWith("Pod/")) {
                            claims.apply(record.key(), record.value() == null);
                        }
                    });
                }
            }
            return claims;
        }

        private void apply(String key, boolean isTombstone) {
            pods.add(key);
            if (isTombstone) {
                tombstones.add(key);
            } else {
                tombstones.remove(key);
            }
        }
    }
}

package dev.claimstream.systemtests.topics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.cli.console.ConsoleClient;
import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.PublicTopicProducer;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.schemas.OutcomeRecord;
import dev.claimstream.systemtests.process.FastPoll;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.workload.ClusterManifests;
import dev.claimstream.wire.PublicRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a claim that a foreign producer publishes to a running {@code up}. The writer's cluster does not have the
 * claim.
 */
@Timeout(180)
@Tag("part-1")
class OutsideClaimIT {
    private static final String READY = "Ctrl-C ends it";
    private static final String PRODUCER = "producer";

    @TempDir
    private Path folder = Path.of("");

    private Path data() {
        return folder.resolve("data");
    }

    @Test
    void keepsExternalClaimUntilItsSourceDeletesIt() throws IOException, InterruptedException {
        Path cluster = Files.writeString(folder.resolve("cluster.yaml"), ClusterManifests.ofDevices(1));
        try (Program up = Program.start(folder, "up", "--data", data().toString(), "-f", cluster.toString())) {
            up.awaitOut(READY);
            publish(PublicRecord.upsert(stamp(1), claim("mine")));
            awaitState("mine", "allocated");
            awaitNotFoundOutcome(claim("mine"));
            publish(PublicRecord.upsert(stamp(2), claim("next")));
            awaitState("next", "pending");
            assertThat(state("mine")).as("the writer has not found it").isEqualTo("allocated");
            up.kill();
            up.awaitEnd();
        }
        try (Program up = Program.start(folder, "up", "--data", data().toString())) {
            up.awaitOut(READY);
            assertThat(state("mine")).as("after kill -9").isEqualTo("allocated");
            assertThat(state("next")).isEqualTo("pending");
            publish(PublicRecord.deletion(stamp(3), claim("mine")));
            awaitState("next", "allocated");
        }
    }

    private static Stamp stamp(long version) {
        return new Stamp(PRODUCER, 1, version);
    }

    private static ResourceClaim claim(String name) {
        return (ResourceClaim) Manifests.read(
                        "test",
                        ClusterManifests.claim(name, 1)
                                .replace("name: " + name, "name: %s, uid: %s-1".formatted(name, name)))
                .objects()
                .getFirst();
    }

    private Endpoint endpoint() {
        return DataFolder.publishedEndpoint(data()).orElseThrow();
    }

    private void publish(PublicRecord record) {
        Endpoint endpoint = endpoint();
        try (var topics = new PublicTopicProducer(
                KafkaConnection.plain(endpoint.bootstrap()),
                new RestRegistry(RestRegistry.RegistrySettings.of(endpoint.registry())),
                PRODUCER)) {
            switch (record) {
                case PublicRecord.ClaimsTopicRecord(var key, var value) -> topics.send(key, value);
                case PublicRecord.InventoryTopicRecord(var key, var value) -> topics.send(key, value);
            }
            topics.flush();
        }
    }

    private String state(String claim) {
        return ConsoleClient.ofFolder(data()).items("/api/v1/claims").stream()
                .filter(each -> each.text("name").equals(claim))
                .map(each -> each.text("state"))
                .findFirst()
                .orElse("unknown");
    }

    private void awaitState(String claim, String state) {
        FastPoll.until(claim + " " + state, () -> state(claim).equals(state));
    }

    /** Waits until the writer has published that it did not find the claim. */
    private void awaitNotFoundOutcome(ResourceClaim claim) {
        Endpoint endpoint = endpoint();
        var serde = AvroSerde.of(
                OutcomeRecord.class, new RestRegistry(RestRegistry.RegistrySettings.of(endpoint.registry())));
        var outcomes = List.of(new TopicPartition(Topics.OUTCOMES, 0));
        try (var consumer = new KafkaConsumer<>(
                ConsumerSettings.of(KafkaConnection.plain(endpoint.bootstrap()), "test")
                        .properties(),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(outcomes);
            consumer.seekToBeginning(outcomes);
            var found = new AtomicBoolean();
            FastPoll.until("the outcome", () -> {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> {
                    if (isNotFoundOutcome(serde, record, claim)) {
                        found.set(true);
                    }
                });
                return found.get();
            });
        }
    }

    private static boolean isNotFoundOutcome(
            AvroSerde<OutcomeRecord> serde, ConsumerRecord<byte[], byte[]> record, ResourceClaim claim) {
        return serde.read(Topics.OUTCOMES, record.value()) instanceof DecodeResult.Value<OutcomeRecord>(var outcome)
                && outcome.getClaimUid().equals(claim.meta().uid())
                && outcome.getOutcome().equals("deleted");
    }
}

package dev.claimstream.systemtests.topics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.ProducerSettings;
import dev.claimstream.kafka.Sender;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.EmbeddedBroker;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.miniature.MiniatureCluster;
import dev.claimstream.kubernetes.streams.TopicStore;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.OutcomeRecord;
import dev.claimstream.systemtests.process.FastPoll;
import dev.claimstream.systemtests.workload.ClusterManifests;
import dev.claimstream.watcher.ClusterWatcher;
import dev.claimstream.wire.DecisionCodec;
import dev.claimstream.writer.Writer;
import io.micronaut.context.ApplicationContext;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the simulated cluster, the records of its watcher and the commits of its writer. The test writes the
 * decisions.
 */
final class MiniatureIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");
    private static final SchemaRegistry REGISTRY = SchemaRegistry.inMemory();
    private static final int PARTITIONS = 3;
    private static final ObjectKey A = new ObjectKey("default", "a");
    private static final Topics TOPICS =
            Topics.shipped().withPartitions(Map.of(Topics.INVENTORY, PARTITIONS, Topics.CLAIMS, PARTITIONS));

    @TempDir
    Path folder;

    private EmbeddedBroker broker;
    private KafkaConnection kafka;
    private MiniatureCluster cluster;
    private ApplicationContext services;

    @SuppressWarnings("NullAway.Init") // JUnit calls start before any test
    MiniatureIT() {}

    @BeforeEach
    void start() {
        broker = EmbeddedBroker.start(BrokerSettings.in(folder.resolve("broker")));
        kafka = KafkaConnection.plain(broker.bootstrap());
        try (var admin = Admin.create(kafka.properties())) {
            new TopicSetup(admin, TIMEOUT).createMissing(TOPICS);
        }
        cluster = MiniatureCluster.open(new TopicStore(kafka));
        services = ApplicationContext.builder()
                .banner(false)
                .deduceEnvironment(false)
                .properties(Map.of("claimstream.allocator.enabled", "false"))
                .singletons(kafka, REGISTRY, cluster)
                .start();
    }

    @AfterEach
    void stop() {
        services.close();
        cluster.close();
        broker.close();
    }

    @Test
    void publishesObjectsAndCommitsDecisionsAcrossRestart() {
        apply(
                ClusterManifests.ofDevices(2),
                ClusterManifests.claim("a", 1),
                ClusterManifests.pod("p", "resourceClaimName: a"));
        var inventory = read(
                Topics.INVENTORY,
                records -> syncedPartitions(records, "ResourceSlice") == PARTITIONS
                        && records.stream().anyMatch(each -> each.key().startsWith("ResourceSlice/"))
                        && records.stream().anyMatch(each -> each.key().startsWith("Node/")));
        assertThat(inventory)
                .extracting(ConsumerRecord::key)
                .contains("ResourceSlice/node-1/node-1-gpu.example.com", "Node/node-1/node-1");
        assertThat(syncedPartitions(
                        read(Topics.CLAIMS, records -> syncedPartitions(records, "Pod") == PARTITIONS), "Pod"))
                .isEqualTo(PARTITIONS);

        ResourceClaim claim = claim();
        ClaimConsumer consumer = ClaimConsumer.pod("p", uidOfPod("p"));
        decide(allocationDecision(claim, 1, consumer));
        FastPoll.until("committed", () -> claim().allocation().isPresent());
        assertThat(claim().reservedFor()).containsExactly(consumer);

        apply(ClusterManifests.pod("q", "resourceClaimName: a"));
        ClaimConsumer second = ClaimConsumer.pod("q", uidOfPod("q"));
        decide(allocationDecision(claim, 2, consumer, second));
        FastPoll.until("both are named", () -> claim().reservedFor().size() == 2);
        assertThat(outcomes(2)).extracting(OutcomeRecord::getOutcome).containsExactly("committed", "committed");

        stop();
        start();
        assertThat(claim().reservedFor()).containsExactly(consumer, second);
        cluster.delete(Kind.POD, new ObjectKey("default", "p"));
        cluster.delete(Kind.POD, new ObjectKey("default", "q"));
        assertThat(claim().allocation()).isEmpty();
        decide(new Decision(A, claim.meta().uid(), 2, ItemId.claim(A), new Decision.DecisionResult.Released()));
        decide(allocationDecision(claim, 3));
        assertThat(outcomes(4)).extracting(OutcomeRecord::getDecisionNumber).containsExactly(1L, 2L, 2L, 3L);
        assertThat(claim().allocation()).isPresent();

        cluster.delete(Kind.RESOURCE_CLAIM, A);
        decide(allocationDecision(claim, 4));
        assertThat(outcomes(5).getLast().getOutcome()).isEqualTo("deleted");
        var ends = read(
                Topics.CLAIMS,
                records -> records.stream().anyMatch(each -> isTombstone(each, "ResourceClaim/default/a")));
        assertThat(ends).anyMatch(each -> each.value() != null && isDeletion(each));
        assertThat(services.getBean(ClusterWatcher.class).isFresh()).isTrue();
        assertThat(services.getBean(Writer.class).isAlive()).isTrue();
    }

    @Test
    void publishesTombstoneForDeletionDuringDowntime() {
        apply(ClusterManifests.claim("a", 1), ClusterManifests.claim("b", 1));
        read(Topics.CLAIMS, records -> records.stream().anyMatch(each -> "ResourceClaim/default/b".equals(each.key())));
        services.close();
        cluster.delete(Kind.RESOURCE_CLAIM, A);
        stop();
        start();
        var records =
                read(Topics.CLAIMS, all -> all.stream().anyMatch(each -> isTombstone(each, "ResourceClaim/default/a")));
        assertThat(records).noneMatch(each -> isTombstone(each, "ResourceClaim/default/b"));
    }

    @Test
    void publishesPodDeletionBeforeReleaseOfItsClaim() {
        FastPoll.until("watched", () -> services.getBean(ClusterWatcher.class).isFresh());
        int pods = 20;
        for (int i = 0; i < pods; i++) {
            apply(ClusterManifests.claim("c" + i, 1), ClusterManifests.pod("p" + i, "resourceClaimName: c" + i));
            var claim = cluster.find(Kind.RESOURCE_CLAIM, new ObjectKey("default", "c" + i))
                    .orElseThrow();
            var device = DeviceResult.of("gpus", new DeviceId("gpu.example.com", "node-1", "gpu-" + i));
            var allocation = new Allocation(List.of(device), List.of(), Optional.empty(), Optional.of(AT));
            var consumers = List.of(ClaimConsumer.pod("p" + i, uidOfPod("p" + i)));
            cluster.write(new ClaimStatusClient.StatusChange(
                    claim.object().key(),
                    claim.object().meta().uid(),
                    claim.version(),
                    Optional.of(allocation),
                    consumers));
            cluster.delete(Kind.POD, new ObjectKey("default", "p" + i));
        }
        var records = read(
                Topics.CLAIMS,
                all -> IntStream.range(0, pods)
                        .allMatch(i -> podDeletion(all, i).isPresent()
                                && recordsOfClaim(all, i).size() >= 3));
        for (int i = 0; i < pods; i++) {
            assertThat(podDeletion(records, i).orElseThrow().timestamp())
                    .as("end of p%d", i)
                    .isLessThanOrEqualTo(recordsOfClaim(records, i).getLast().timestamp());
        }
    }

    private static Optional<ConsumerRecord<String, byte[]>> podDeletion(
            List<ConsumerRecord<String, byte[]>> records, int pod) {
        return records.stream()
                .filter(each -> each.key().equals("Pod/default/p" + pod) && each.value() != null && isDeletion(each))
                .findFirst();
    }

    /** Returns the records of a claim: created, allocated, released. */
    private static List<ConsumerRecord<String, byte[]>> recordsOfClaim(
            List<ConsumerRecord<String, byte[]>> records, int claim) {
        return records.stream()
                .filter(each -> each.key().equals("ResourceClaim/default/c" + claim))
                .toList();
    }

    private void apply(String... manifests) {
        var reading = Manifests.read("test", String.join("\n---\n", manifests));
        assertThat(reading.hasErrors()).as(reading.findings().toString()).isFalse();
        cluster.apply(reading.manifests());
    }

    private ResourceClaim claim() {
        return (ResourceClaim)
                cluster.find(Kind.RESOURCE_CLAIM, A).orElseThrow().object();
    }

    private String uidOfPod(String name) {
        return cluster.find(Kind.POD, new ObjectKey("default", name))
                .orElseThrow()
                .object()
                .meta()
                .uid();
    }

    private static Decision allocationDecision(ResourceClaim claim, long number, ClaimConsumer... consumers) {
        var device = DeviceResult.of("gpus", new DeviceId("gpu.example.com", "node-1", "gpu-0"));
        var allocation = new Allocation(List.of(device), List.of(), Optional.empty(), Optional.of(AT));
        return new Decision(
                claim.key(),
                claim.meta().uid(),
                number,
                ItemId.claim(claim.key()),
                new Decision.DecisionResult.Allocated("node-1", allocation, List.of(consumers)));
    }

    private void decide(Decision decision) {
        try (var sender = new Sender(ProducerSettings.of(kafka, "test"))) {
            sender.send(
                    Topics.DECISIONS,
                    decision.claimUid(),
                    AvroSerde.of(DecisionRecord.class, REGISTRY)
                            .write(Topics.DECISIONS, DecisionCodec.to(decision, 0, AT)));
            sender.flush();
        }
    }

    private List<OutcomeRecord> outcomes(int count) {
        return read(Topics.OUTCOMES, records -> records.size() >= count).stream()
                .map(each -> AvroSerde.of(OutcomeRecord.class, REGISTRY)
                        .deserializer()
                        .deserialize(each.topic(), each.value()))
                .toList();
    }

    private static boolean isTombstone(ConsumerRecord<String, byte[]> record, String key) {
        return record.value() == null && key.equals(record.key());
    }

    private static boolean isDeletion(ConsumerRecord<String, byte[]> record) {
        return AvroSerde.of(ClaimsRecord.class, REGISTRY)
                .deserializer()
                .deserialize(record.topic(), record.value())
                .getDeleted()
                .isPresent();
    }

    private static long syncedPartitions(List<ConsumerRecord<String, byte[]>> records, String kind) {
        return records.stream()
                .filter(each -> each.key().equals("Synced/watcher/" + kind))
                .map(ConsumerRecord::partition)
                .distinct()
                .count();
    }

    /** Reads the topic until the condition is met, at most for the timeout. */
    private List<ConsumerRecord<String, byte[]>> read(
            String topic, Predicate<List<ConsumerRecord<String, byte[]>>> isEnough) {
        var records = new ArrayList<ConsumerRecord<String, byte[]>>();
        try (var consumer = new KafkaConsumer<>(
                ConsumerSettings.of(kafka, "reader").properties(),
                new StringDeserializer(),
                new ByteArrayDeserializer())) {
            var partitions = consumer.partitionsFor(topic).stream()
                    .map(each -> new TopicPartition(topic, each.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            long end = System.nanoTime() + TIMEOUT.toNanos();
            while (!isEnough.test(records) && System.nanoTime() < end) {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
            }
        }
        assertThat(isEnough.test(records))
                .as("%s after %s: %s", topic, TIMEOUT, records)
                .isTrue();
        return records;
    }
}

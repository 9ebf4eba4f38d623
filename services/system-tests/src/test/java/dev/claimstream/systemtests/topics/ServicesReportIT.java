package dev.claimstream.systemtests.topics;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectListing;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.ProducerSettings;
import dev.claimstream.kafka.Sender;
import dev.claimstream.kafka.Topic;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.EmbeddedBroker;
import dev.claimstream.kafka.registry.EmbeddedRegistry;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.OutcomeRecord;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.FastPoll;
import dev.claimstream.watcher.SnapshotPublisher;
import dev.claimstream.wire.DecisionCodec;
import dev.claimstream.writer.DecisionCommitter;
import dev.claimstream.writer.Writer;
import io.micronaut.context.ApplicationContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the records of agent, watcher and writer on a broker without an allocator. */
final class ServicesReportIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");
    private static final SchemaRegistry REGISTRY = SchemaRegistry.inMemory();

    private static final ObjectListing LISTING = new ObjectListing(List.of(
            new Node(ObjectMeta.of("", "node-1", "uid-node-1"), List.of(), false, true),
            new DeviceClass(ObjectMeta.of("", "gpu", "uid-gpu"), List.of(), List.of(), Optional.empty()),
            ResourceSlice.builder(ObjectMeta.of("", "slice-1", "uid-slice-1"), "gpu.example.com", "node-1")
                    .generation(1)
                    .scope(new NodeScope.SingleNode("node-1"))
                    .build(),
            new ResourceClaim(
                    ObjectMeta.of("team", "a", "uid-a"),
                    new ClaimSpec(List.of(), List.of(), List.of()),
                    Optional.empty(),
                    List.of())));

    @TempDir
    static Path folder;

    private static final List<Decision> COMMITTED = new CopyOnWriteArrayList<>();

    private static EmbeddedBroker broker;
    private static KafkaConnection kafka;
    private static ApplicationContext services;

    @SuppressWarnings("NullAway.Init") // JUnit calls start before any test
    ServicesReportIT() {}

    @BeforeAll
    static void start() {
        broker = EmbeddedBroker.start(BrokerSettings.in(folder.resolve("broker")));
        kafka = KafkaConnection.plain(broker.bootstrap());
        try (var admin = Admin.create(kafka.properties())) {
            new TopicSetup(admin, TIMEOUT).createMissing(Topics.shipped());
        }
        DecisionCommitter commits = decision -> {
            COMMITTED.add(decision);
            return decision.number() == 2
                    ? DecisionCommitter.CommitResult.REJECTED
                    : DecisionCommitter.CommitResult.COMMITTED;
        };
        services = ApplicationContext.builder()
                .banner(false)
                .deduceEnvironment(false)
                .properties(Map.of("claimstream.allocator.enabled", "false"))
                .singletons(kafka, REGISTRY, LISTING, commits)
                .start();
    }

    @AfterAll
    static void stop() {
        services.close();
        broker.close();
    }

    @Test
    void publishesListedObjectsAndSyncMarkers() {
        long inventoryMarkers =
                Stream.of(Kind.values()).filter(ServicesReportIT::isInventory).count();
        var inventory = read(Topics.INVENTORY, 3 + (int) inventoryMarkers);
        assertThat(inventory)
                .extracting(ConsumerRecord::key)
                .contains("ResourceSlice/node-1/slice-1", "Node/node-1/node-1", "DeviceClass//gpu")
                .contains("Synced/agent/ResourceSlice", "Synced/watcher/Node", "Synced/watcher/DeviceTaintRule")
                .doesNotContain("Synced/watcher/ResourceSlice");
        var claims = read(Topics.CLAIMS, 1 + Kind.values().length - (int) inventoryMarkers);
        assertThat(claims)
                .extracting(ConsumerRecord::key)
                .startsWith("ResourceClaim/team/a")
                .contains("Synced/watcher/ResourceClaim", "Synced/watcher/Pod");
    }

    @Test
    void sendsProbeToEveryPublicTopic() {
        services.getBean(SnapshotPublisher.class).probe("p");
        assertThat(readUntil(Topics.INVENTORY, "Probe//p")).isNotEmpty();
        assertThat(readUntil(Topics.CLAIMS, "Probe//p")).isNotEmpty();
    }

    @Test
    void commitsDecisionsAndPublishesOutcomes() {
        FastPoll.until("the writer follows", services.getBean(Writer.class)::isCaughtUp);
        var grant = new Decision.DecisionResult.Allocated(
                "node-1", new Allocation(List.of(), List.of(), Optional.empty(), Optional.of(AT)), List.of());
        var decisions = List.of(
                decision(1, new Decision.DecisionResult.Pending(Reason.DevicesInUse, "wait")),
                decision(2, grant),
                decision(3, grant),
                decision(4, new Decision.DecisionResult.Released()));
        try (var sender = new Sender(ProducerSettings.of(kafka, "test"))) {
            decisions.forEach(each -> sender.send(
                    Topics.DECISIONS,
                    each.claimUid(),
                    AvroSerde.of(DecisionRecord.class, REGISTRY)
                            .serializer()
                            .serialize(Topics.DECISIONS, DecisionCodec.to(each, 0, AT))));
            sender.flush();
        }
        List<OutcomeRecord> outcomes =
                read(Topics.OUTCOMES, 3).stream().map(ServicesReportIT::outcome).toList();
        assertThat(COMMITTED).isEqualTo(decisions);
        assertThat(outcomes).extracting(OutcomeRecord::getDecisionNumber).containsExactly(2L, 3L, 4L);
        assertThat(outcomes)
                .extracting(OutcomeRecord::getOutcome)
                .containsExactly("rejected", "committed", "committed");
    }

    /** The broker has no changelog yet, so the command has topics to create. */
    @Test
    void topicsCommandRejectsIncompatibleSchemaFirst() throws IOException {
        URI url;
        try (var registry = EmbeddedRegistry.open(kafka);
                var server = registry.serve(0)) {
            url = server.url();
            registry.register(Topics.CLAIMS + "-value", Schema.create(Schema.Type.STRING));
            for (List<String> mode : List.of(List.<String>of(), List.of("--check"))) {
                CommandResult result = runTopics(url, mode);
                assertThat(result.exitCode()).isEqualTo(1);
                assertThat(result.out()).isEmpty();
                assertThat(result.errLines())
                        .singleElement()
                        .asString()
                        .contains("claims.v1-value has a schema that does not fit the one of this program: ")
                        .endsWith(
                                ": find the producer that registered it; delete that version (DELETE /subjects/claims.v1-value/versions/N) once no record has it");
            }
        }
        CommandResult unreachable = runTopics(url, List.of());
        assertThat(unreachable.exitCode()).isEqualTo(1);
        assertThat(unreachable.errLines())
                .singleElement()
                .asString()
                .contains("no response to GET %s/subjects: ".formatted(url))
                .endsWith(" Check the registry and its URL.");
        assertThat(changelogs()).isEmpty();

        HttpServer forbidding = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        forbidding.createContext("/", exchange -> {
            exchange.sendResponseHeaders(403, -1);
            exchange.close();
        });
        forbidding.start();
        try {
            CommandResult forbidden = runTopics(
                    URI.create("http://127.0.0.1:" + forbidding.getAddress().getPort()), List.of());
            assertThat(forbidden.exitCode()).isZero();
            assertThat(forbidden.err())
                    .startsWith("schemas not checked: GET http://127.0.0.1:")
                    .contains("403");
            assertThat(changelogs()).isNotEmpty();

            CommandResult unregistered = runTopics(
                    URI.create("http://127.0.0.1:" + forbidding.getAddress().getPort()), List.of("--register"));
            assertThat(unregistered.exitCode()).isEqualTo(1);
            assertThat(unregistered.err())
                    .contains("claimstream: schemas not registered: POST http://127.0.0.1:")
                    .contains("allow this user to register schemas");
        } finally {
            forbidding.stop(0);
        }
    }

    private static CommandResult runTopics(URI registry, List<String> mode) {
        return CommandResult.run(Stream.concat(
                        Stream.of("topics", "--bootstrap", kafka.bootstrap(), "--registry", registry.toString()),
                        mode.stream())
                .toArray(String[]::new));
    }

    private static List<String> changelogs() {
        List<String> missing = TopicSetup.missing(kafka, Topics.shipped().withChangelogs(), TIMEOUT);
        return Topics.shipped().withChangelogs().all().stream()
                .map(Topic::name)
                .filter(name -> Topics.shipped().all().stream()
                        .noneMatch(each -> each.name().equals(name)))
                .filter(name -> !missing.contains(name))
                .toList();
    }

    private static boolean isInventory(Kind kind) {
        return switch (kind) {
            case RESOURCE_SLICE, DEVICE_CLASS, DEVICE_TAINT_RULE, NODE, NAMESPACE -> true;
            case RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE, POD, POD_GROUP -> false;
        };
    }

    private static Decision decision(long number, Decision.DecisionResult result) {
        var claim = new ObjectKey("team", "a");
        return new Decision(claim, "uid-a", number, ItemId.claim(claim), result);
    }

    private static OutcomeRecord outcome(ConsumerRecord<String, byte[]> record) {
        return AvroSerde.of(OutcomeRecord.class, REGISTRY).deserializer().deserialize(record.topic(), record.value());
    }

    private static List<ConsumerRecord<String, byte[]>> readUntil(String topic, String key) {
        return read(topic, records -> records.stream().anyMatch(each -> key.equals(each.key())));
    }

    private static List<ConsumerRecord<String, byte[]>> read(String topic, int count) {
        return read(topic, records -> records.size() >= count);
    }

    /** Reads the topic until the condition is met, at most for the timeout. */
    private static List<ConsumerRecord<String, byte[]>> read(
            String topic, Predicate<List<ConsumerRecord<String, byte[]>>> isEnough) {
        var records = new ArrayList<ConsumerRecord<String, byte[]>>();
        var partition = List.of(new TopicPartition(topic, 0));
        try (var consumer = new KafkaConsumer<>(
                ConsumerSettings.of(kafka, "reader").properties(),
                new StringDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(partition);
            consumer.seekToBeginning(partition);
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

package dev.claimstream.systemtests.topics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.claimstream.agent.SimulatedFleet;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.allocator.Allocator;
import dev.claimstream.cli.standalone.DecisionConsumer;
import dev.claimstream.cli.standalone.DryRunCommits;
import dev.claimstream.cli.standalone.RunSettings;
import dev.claimstream.cli.standalone.StandaloneStack;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.ObjectListing;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.Topics;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.observability.AllocatorMeter;
import dev.claimstream.schemas.BadRecord;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.DeletionMarker;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.Liveness;
import dev.claimstream.schemas.ProbeRecord;
import dev.claimstream.schemas.StaleMarker;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.systemtests.workload.ClusterManifests;
import dev.claimstream.watcher.SnapshotPublisher;
import dev.claimstream.wire.PublicRecord;
import io.micronaut.context.ApplicationContext;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that invalid records of a foreign producer are set aside with their offsets. All claims are still allocated.
 */
class OutsideRecordsIT {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Stamp STRANGER = new Stamp("stranger", 1, 1);

    @TempDir
    private Path folder = Path.of("");

    private final CelSelectors selectors = new CelSelectors();
    private StandaloneStack stack;
    private ApplicationContext services;
    private ObjectListing listing = new ObjectListing(List.of());
    private AvroSerde<InventoryRecord> inventory;
    private AvroSerde<ClaimsRecord> claims;

    @SuppressWarnings("NullAway.Init") // start sets the fields before each test
    OutsideRecordsIT() {}

    @BeforeEach
    void start() {
        stack = StandaloneStack.start(folder);
        listing = new ObjectListing(objects(
                ClusterManifests.ofDevices(2) + ClusterManifests.claim("one", 1) + ClusterManifests.claim("two", 1)));
        services = stack.startServices(listing, selectors, new DryRunCommits(), RunSettings.defaults(), folder);
        inventory = AvroSerde.of(InventoryRecord.class, stack.registry());
        claims = AvroSerde.of(ClaimsRecord.class, stack.registry());
    }

    @AfterEach
    void stop() {
        services.close();
        stack.close();
    }

    private static List<ClusterObject> objects(String text) {
        return ClusterCompletion.complete(Manifests.read("test", text).manifests()).stream()
                .map(Manifest::object)
                .toList();
    }

    @Test
    void setsAsideUnreadableRecordsWithOffsetAndBytes() throws InterruptedException, ExecutionException {
        byte[] good = inventory.write(
                Topics.INVENTORY, record().setStale(new StaleMarker("Node")).build());
        List<byte[]> toInventory = List.of(
                "{\"kind\": \"Node\"}".getBytes(StandardCharsets.UTF_8),
                new byte[0],
                ByteBuffer.allocate(9).put((byte) 0).putInt(4711).array(),
                Arrays.copyOf(good, good.length - 1),
                Arrays.copyOf(good, good.length + 1),
                inventory.write(
                        Topics.INVENTORY,
                        record().setSource("").setStale(new StaleMarker("Node")).build()),
                inventory.write(Topics.INVENTORY, liveness("asleep")),
                inventory.write(
                        Topics.INVENTORY,
                        record().setStale(new StaleMarker("Toaster")).build()),
                inventory.write(Topics.INVENTORY, record().build()));
        List<byte[]> toClaims = List.of(
                "hello".getBytes(StandardCharsets.UTF_8),
                good, // an inventory record in the wrong topic
                claims.write(
                        Topics.CLAIMS,
                        ClaimsRecord.newBuilder()
                                .setSource("stranger")
                                .setEpoch(1)
                                .setVersion(1)
                                .setUid("u")
                                .setDeleted(new DeletionMarker("Toaster", "default", "x", "u"))
                                .build()));
        send(Topics.INVENTORY, toInventory);
        send(Topics.CLAIMS, toClaims);

        assertEveryClaimIsAllocated();

        List<BadRecord> bad = badRecords(toInventory.size() + toClaims.size());
        assertThat(bad)
                .filteredOn(each -> each.getTopic().equals(Topics.INVENTORY))
                .extracting(BadRecord::getPartition, BadRecord::getOffset, BadRecord::getReason)
                .containsExactlyInAnyOrder(
                        tuple(0, 0L, "NoMagicByte"),
                        tuple(0, 1L, "NoMagicByte"),
                        tuple(0, 2L, "UnknownSchema"),
                        tuple(0, 3L, "Truncated"),
                        tuple(0, 4L, "TrailingBytes"),
                        tuple(0, 5L, "RuleBroken"),
                        tuple(0, 6L, "RuleBroken"),
                        tuple(0, 7L, "RuleBroken"),
                        tuple(0, 8L, "RuleBroken"));
        assertThat(bad)
                .filteredOn(each -> each.getTopic().equals(Topics.CLAIMS))
                .extracting(BadRecord::getOffset, BadRecord::getReason)
                .containsExactlyInAnyOrder(tuple(0L, "NoMagicByte"), tuple(1L, "WrongSchema"), tuple(2L, "RuleBroken"));
        var counted = new TopicMeter(services, AllocatorMeter.BAD_RECORDS);
        bad.stream()
                .collect(Collectors.groupingBy(
                        each -> List.of(each.getTopic(), each.getReason()), Collectors.counting()))
                .forEach((labels, count) -> assertThat(counted.count(labels.getFirst(), labels.getLast()))
                        .as("counted of %s", labels)
                        .isEqualTo(count));
        assertThat(bad).allSatisfy(each -> {
            List<byte[]> sent = each.getTopic().equals(Topics.INVENTORY) ? toInventory : toClaims;
            assertThat(each.getValue()).contains(ByteBuffer.wrap(sent.get((int) each.getOffset())));
            assertThat(each.getMessage()).isNotBlank();
        });
        assertThat(bad)
                .extracting(BadRecord::getMessage)
                .anyMatch(message -> message.contains("the source is empty"))
                .anyMatch(message -> message.contains("asleep"))
                .anyMatch(message -> message.contains("4711"))
                .anyMatch(message -> message.contains("Toaster"));
    }

    @Test
    void allocatesDespiteNonsenseObjects() throws InterruptedException, ExecutionException {
        List<byte[]> toInventory = new ArrayList<>();
        List<byte[]> toClaims = new ArrayList<>();
        NonsenseObjects.all().forEach(object -> {
            switch (PublicRecord.upsert(STRANGER, object)) {
                case PublicRecord.InventoryTopicRecord record ->
                    toInventory.add(inventory.write(Topics.INVENTORY, record.value()));
                case PublicRecord.ClaimsTopicRecord record -> toClaims.add(claims.write(Topics.CLAIMS, record.value()));
            }
        });
        for (ProbeRecord probe : List.of(
                new ProbeRecord("a", 7, 2),
                new ProbeRecord("b", -1, 2),
                new ProbeRecord("c", 0, 0),
                new ProbeRecord("", 0, -1))) {
            toInventory.add(
                    inventory.write(Topics.INVENTORY, record().setProbe(probe).build()));
        }
        toInventory.add(inventory.write(Topics.INVENTORY, liveness("silent")));
        send(Topics.INVENTORY, toInventory);
        send(Topics.CLAIMS, toClaims);

        assertEveryClaimIsAllocated();
    }

    private static InventoryRecord.Builder record() {
        return InventoryRecord.newBuilder()
                .setSource("stranger")
                .setEpoch(1)
                .setVersion(1)
                .setUid("");
    }

    private static InventoryRecord liveness(String state) {
        return record().setLiveness(new Liveness("nowhere", state, Instant.EPOCH))
                .build();
    }

    private void send(String topic, List<byte[]> values) throws InterruptedException, ExecutionException {
        try (var producer =
                new KafkaProducer<>(stack.kafka().properties(), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (byte[] value : values) {
                producer.send(new ProducerRecord<>(topic, 0, new byte[] {1}, value))
                        .get();
            }
        }
    }

    private void assertEveryClaimIsAllocated() {
        Allocator allocator = services.getBean(Allocator.class);
        try (var follower = new DecisionConsumer(stack.kafka(), stack.registry())) {
            services.getBean(SimulatedFleet.class).publish();
            services.getBean(SnapshotPublisher.class).publish();
            services.getBean(SnapshotPublisher.class).probe("test");
            Instant until = Instant.now().plus(PATIENCE);
            follower.readUntilProbe(() -> {
                assertThat(allocator.isAlive()).as("the allocator lives").isTrue();
                assertThat(Instant.now()).as("an answer comes").isBefore(until);
            });
            assertThat(listing.objects().stream()
                            .filter(object -> object.key().namespace().equals("default"))
                            .map(claim -> follower.decision(claim.meta().uid()).map(Decision::result)))
                    .hasSize(2)
                    .allSatisfy(
                            verdict -> assertThat(verdict).get().isInstanceOf(Decision.DecisionResult.Allocated.class));
        }
        assertThat(allocator.isAlive()).isTrue();
    }

    private List<BadRecord> badRecords(int count) {
        var serde = AvroSerde.of(BadRecord.class, stack.registry());
        List<BadRecord> found = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(
                ConsumerSettings.of(stack.kafka(), "test").properties(),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(Topics.BAD_RECORDS).stream()
                    .map(each -> new TopicPartition(Topics.BAD_RECORDS, each.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Instant until = Instant.now().plus(PATIENCE);
            while (found.size() < count && Instant.now().isBefore(until)) {
                consumer.poll(Duration.ofMillis(100)).forEach(record -> {
                    if (serde.read(record.topic(), record.value())
                            instanceof DecodeResult.Value<BadRecord>(BadRecord value)) {
                        found.add(value);
                    }
                });
            }
        }
        assertThat(found).hasSize(count);
        return found;
    }
}

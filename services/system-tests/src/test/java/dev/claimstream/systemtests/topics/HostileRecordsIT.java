package dev.claimstream.systemtests.topics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.agent.SimulatedFleet;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.allocator.Allocator;
import dev.claimstream.cli.standalone.DryRunCommits;
import dev.claimstream.cli.standalone.RunSettings;
import dev.claimstream.cli.standalone.StandaloneStack;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectListing;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.PublicTopicProducer;
import dev.claimstream.kafka.RecordKey;
import dev.claimstream.kafka.Topics;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.observability.AllocatorMeter;
import dev.claimstream.observability.CutRequests;
import dev.claimstream.observability.Meters;
import dev.claimstream.observability.ProcessMeter;
import dev.claimstream.schemas.BadRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.OutcomeRecord;
import dev.claimstream.schemas.StaleMarker;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.workload.ClusterManifests;
import dev.claimstream.watcher.SnapshotPublisher;
import dev.claimstream.wire.DecisionCodec;
import dev.claimstream.wire.PublicRecord;
import io.micronaut.context.ApplicationContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that records of a foreign producer change no decision. Two claims hold the two devices of a node, a third claim
 * is pending, and each record would release a device if it were accepted. The last test releases a device from the
 * right source, which proves that a release would be visible.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class HostileRecordsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long NEWEST = Long.MAX_VALUE;
    private static final Stamp STRANGER = new Stamp("stranger", NEWEST, NEWEST);
    private static final int FLOOD = 500;
    private static final long ENVELOPE_BYTES_MAX = 1000;
    private static final String STALE = "stale";
    private static final String FOREIGN = "foreign";
    private static final String UNKNOWN = "unknown-decision";
    private static final String NO_MAGIC = "NoMagicByte";

    @TempDir
    static Path folder;

    private static StandaloneStack stack;
    private static ApplicationContext services;
    private static List<ClusterObject> objects = List.of();
    private static Map<String, Decision> before = Map.of();
    private static int probes;

    @SuppressWarnings("NullAway.Init") // JUnit calls start before any test
    HostileRecordsIT() {}

    @BeforeAll
    static void start() {
        stack = StandaloneStack.start(folder);
        String manifests = ClusterManifests.ofDevices(2)
                + ClusterManifests.claim("one", 1)
                + ClusterManifests.claim("two", 1)
                + ClusterManifests.claim("three", 1);
        objects = ClusterCompletion.complete(Manifests.read("test", manifests).manifests()).stream()
                .map(Manifest::object)
                .toList();
        services = stack.startServices(
                new ObjectListing(objects),
                new CelSelectors(),
                new DryRunCommits(),
                RunSettings.defaults(),
                folder.resolve("a"));
        services.getBean(SimulatedFleet.class).publish();
        services.getBean(SnapshotPublisher.class).publish();
        before = decisions();
        assertThat(before.values().stream()
                        .map(each -> each.claim().name() + " "
                                + each.result().getClass().getSimpleName()))
                .containsExactlyInAnyOrder("one Allocated", "two Allocated", "three Pending");
    }

    @AfterAll
    static void stop() {
        services.close();
        stack.close();
    }

    private static ResourceClaim claim(String name) {
        return objects.stream()
                .filter(ResourceClaim.class::isInstance)
                .map(ResourceClaim.class::cast)
                .filter(claim -> claim.key().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static ResourceClaim copy(ResourceClaim claim, String name, String uid) {
        return new ResourceClaim(
                ObjectMeta.of(claim.key().namespace(), name, uid), claim.spec(), Optional.empty(), List.of());
    }

    private static ResourceSlice slice() {
        return objects.stream()
                .filter(ResourceSlice.class::isInstance)
                .map(ResourceSlice.class::cast)
                .findFirst()
                .orElseThrow();
    }

    /** Returns the same slice without its devices. */
    private static ResourceSlice withoutDevices(long generation) {
        ResourceSlice slice = slice();
        return slice.toBuilder()
                .generation(generation)
                .resourceSliceCount(1)
                .devices(List.of())
                .sharedCounters(List.of())
                .skipNodeOperations(List.of())
                .build();
    }

    // ---- releases by a foreign producer

    @Test
    void ignoresDeletionOfForeignSource() {
        long foreign = ignored(Topics.CLAIMS, FOREIGN);
        publish(
                PublicRecord.deletion(STRANGER, claim("one")),
                PublicRecord.deletion(STRANGER, copy(claim("one"), "one", "other-uid")));
        assertNothingChanged();
        assertThat(ignored(Topics.CLAIMS, FOREIGN)).isEqualTo(foreign + 2);
    }

    @Test
    void ignoresUpsertOfForeignSource() {
        long foreign = ignored(Topics.CLAIMS, FOREIGN);
        publish(
                PublicRecord.upsert(STRANGER, copy(claim("one"), "one", "other-uid")),
                PublicRecord.upsert(
                        STRANGER, copy(claim("one"), "one", claim("one").meta().uid())));
        assertNothingChanged();
        assertThat(ignored(Topics.CLAIMS, FOREIGN)).isEqualTo(foreign + 2);
    }

    @Test
    void ignoresClaimWithUidOfAnother() {
        ResourceClaim thief = copy(claim("one"), "thief", claim("one").meta().uid());
        long foreign = ignored(Topics.CLAIMS, FOREIGN);
        publish(PublicRecord.upsert(STRANGER, thief), PublicRecord.deletion(STRANGER, thief));
        assertNothingChanged();
        assertThat(ignored(Topics.CLAIMS, FOREIGN)).isEqualTo(foreign + 1);
    }

    @Test
    void ignoresOutcomeOfUnknownDecision() throws InterruptedException, ExecutionException {
        var serde = AvroSerde.of(OutcomeRecord.class, stack.registry());
        String uid = claim("one").meta().uid();
        long number = Optional.ofNullable(before.get(uid)).orElseThrow().number();
        long unknown = ignored(Topics.OUTCOMES, UNKNOWN);
        long all = unknown + ignored(Topics.OUTCOMES, STALE);
        for (long forged : new long[] {number - 1, number + 1, 0, -1, NEWEST}) {
            for (String outcome : List.of("rejected", "conflict", "deleted", "failed")) {
                var record = new OutcomeRecord(uid, forged, outcome, "", 0L, Instant.EPOCH, "");
                send(Topics.OUTCOMES, text(uid), serde.write(Topics.OUTCOMES, record));
            }
        }
        assertNothingChanged();
        assertThat(ignored(Topics.OUTCOMES, UNKNOWN))
                .as("0, -1 and the newest were never made; that next to it may have been another claim's")
                .isBetween(unknown + 3, unknown + 5);
        assertThat(ignored(Topics.OUTCOMES, UNKNOWN) + ignored(Topics.OUTCOMES, STALE))
                .as("each that says it was refused")
                .isEqualTo(all + 5);
    }

    // ---- stale records

    @Test
    void ignoresStaleAndForeignSliceRecords() {
        long stale = ignored(Topics.INVENTORY, STALE);
        long foreign = ignored(Topics.INVENTORY, FOREIGN);
        publish(
                PublicRecord.upsert(new Stamp(SimulatedFleet.SOURCE, 1, 0), withoutDevices(9)),
                PublicRecord.upsert(new Stamp(SimulatedFleet.SOURCE, 0, 1), withoutDevices(9)),
                PublicRecord.deletion(new Stamp(SimulatedFleet.SOURCE, 1, 0), slice()),
                PublicRecord.deletion(new Stamp(SimulatedFleet.SOURCE, 0, 1), slice()),
                PublicRecord.upsert(STRANGER, withoutDevices(9)),
                PublicRecord.deletion(STRANGER, slice()));
        assertNothingChanged();
        assertThat(ignored(Topics.INVENTORY, STALE)).isEqualTo(stale + 4);
        assertThat(ignored(Topics.INVENTORY, FOREIGN)).isEqualTo(foreign + 2);
    }

    /** The forged pool is complete, newer, and has a free device. */
    @Test
    void ignoresSliceOfForeignSourceInPool() {
        ResourceSlice slice = slice();
        ObjectMeta meta = ObjectMeta.of("", "a-slice-of-my-own", "uid-of-my-own");
        var forged = ResourceSlice.builder(meta, slice.driver(), slice.pool())
                .generation(slice.generation() + 100)
                .scope(slice.scope())
                .devices(List.of(Device.of("made-up", new TreeMap<>(), new TreeMap<>())))
                .build();
        publish(PublicRecord.upsert(STRANGER, forged));
        assertNothingChanged();
        publish(PublicRecord.deletion(STRANGER, forged));
    }

    @Test
    void limitsFutureEpochsToTheirSource() {
        List<PublicRecord> flood = new ArrayList<>();
        for (int i = 0; i < FLOOD; i++) {
            for (Kind kind : Kind.values()) {
                flood.add(PublicRecord.syncMarker(new Stamp("stranger", NEWEST - i, NEWEST), kind, 0));
            }
        }
        publish(flood.toArray(PublicRecord[]::new));
        try (var topics = new PublicTopicProducer(stack.kafka(), stack.registry(), "stranger")) {
            topics.send(
                    List.of("Stale", "stranger", "ResourceSlice"),
                    InventoryRecord.newBuilder()
                            .setSource("stranger")
                            .setEpoch(NEWEST)
                            .setVersion(NEWEST)
                            .setUid("")
                            .setStale(new StaleMarker("ResourceSlice"))
                            .build());
        }
        assertNothingChanged();
    }

    // ---- bytes

    @Test
    void setsAsideAndCountsArbitraryBytes() throws InterruptedException, ExecutionException {
        long seed = 20260105;
        System.out.println("seed " + seed);
        var random = new SplittableRandom(seed);
        long alreadyBad = badRecords().size();
        var refused = new TopicMeter(services, AllocatorMeter.BAD_RECORDS);
        long alreadyCounted = refused.count(Topics.INVENTORY, NO_MAGIC) + refused.count(Topics.CLAIMS, NO_MAGIC);
        byte[] good = AvroSerde.of(InventoryRecord.class, stack.registry())
                .write(
                        Topics.INVENTORY,
                        ((PublicRecord.InventoryTopicRecord)
                                        PublicRecord.upsert(new Stamp(SimulatedFleet.SOURCE, 1, 0), slice()))
                                .value());
        List<byte[]> sent = new ArrayList<>();
        for (int i = 0; i < FLOOD; i++) {
            byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            if (bytes.length > 0 && bytes[0] == 0) {
                bytes[0] = 1; // a leading zero is the magic byte of a schema id
            }
            sent.add(bytes);
        }
        for (int id : new int[] {0, -1, 4711, Integer.MAX_VALUE}) {
            sent.add(ByteBuffer.wrap(good.clone()).putInt(1, id).array());
        }
        try (var producer =
                new KafkaProducer<>(stack.kafka().properties(), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (byte[] bytes : sent) {
                String topic = bytes.length % 2 == 0 ? Topics.INVENTORY : Topics.CLAIMS;
                producer.send(new ProducerRecord<>(topic, 0, bytes, bytes)).get();
            }
        }
        assertNothingChanged();
        assertThat(badRecords()).hasSize((int) alreadyBad + sent.size());
        assertThat(refused.count(Topics.INVENTORY, NO_MAGIC) + refused.count(Topics.CLAIMS, NO_MAGIC))
                .isEqualTo(alreadyCounted + FLOOD);
    }

    @Test
    void brokerRejectsRecordWithoutKey() {
        assertThatThrownBy(() -> send(Topics.CLAIMS, Optional.empty(), new byte[] {0}))
                .hasCauseInstanceOf(InvalidRecordException.class)
                .hasMessageContaining("Compacted topic cannot accept message without key");
    }

    @Test
    void brokerRejectsAndCountsOversizedRecord() {
        byte[] large = new byte[10 << 20];
        int alreadyBad = badRecords().size();
        long rejected = rejectedBytes(Topics.INVENTORY);
        long rejectedElsewhere = rejectedBytes(Topics.CLAIMS);
        assertThatThrownBy(() -> send(Topics.INVENTORY, text("k"), large))
                .hasCauseInstanceOf(RecordTooLargeException.class);
        assertThat(rejectedBytes(Topics.INVENTORY))
                .as("what the client keeps to itself")
                .isEqualTo(rejected);
        assertThatThrownBy(() -> sendTo(64 << 20, Topics.INVENTORY, Optional.of(text("k")), large))
                .as("where the client lets it pass, the broker does not")
                .hasCauseInstanceOf(RecordTooLargeException.class);
        assertNothingChanged();
        assertThat(badRecords()).as("no service of ours has seen it").hasSize(alreadyBad);
        assertThat(rejectedBytes(Topics.INVENTORY) - rejected)
                .as("once, with what is around a record")
                .isBetween((long) large.length, large.length + ENVELOPE_BYTES_MAX);
        assertThat(rejectedBytes(Topics.CLAIMS)).isEqualTo(rejectedElsewhere);
    }

    /** The size comes first in a request, so the broker cuts before it reads the rest. */
    @Test
    void brokerCutsAndCountsOversizedRequest() throws IOException, InterruptedException {
        long cut = CutRequests.count();
        int colon = stack.kafka().bootstrap().lastIndexOf(':');
        int port = Integer.parseInt(stack.kafka().bootstrap().substring(colon + 1));
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream()
                    .write(ByteBuffer.allocate(Integer.BYTES)
                            .putInt(Integer.MAX_VALUE)
                            .array());
            assertThat(socket.getInputStream().read()).as("end of stream").isNegative();
        }
        Program.await(() -> CutRequests.count() > cut, "counted", PATIENCE);
        assertThat(services.getBean(Meters.class).text())
                .contains("claimstream_broker_cut_requests_total %.1f".formatted((double) CutRequests.count()));
        assertNothingChanged();
    }

    @Test
    void setsAsideRecordTooLargeForCell() throws InterruptedException, ExecutionException {
        send(Topics.INVENTORY, text("k"), new byte[PublicTopicProducer.VALUE_BYTES_MAX + 1]);
        assertNothingChanged();
        assertThat(badRecords())
                .filteredOn(each -> each.getReason().equals("TooLarge"))
                .hasSize(1);
        assertThat(new TopicMeter(services, AllocatorMeter.BAD_RECORDS).count(Topics.INVENTORY, "TooLarge"))
                .isEqualTo(1);
    }

    // ---- a valid release

    @Test
    @Order(Integer.MAX_VALUE)
    void acceptsDeletionOfOwnSource() {
        publish(PublicRecord.deletion(new Stamp(SnapshotPublisher.SOURCE, 1, NEWEST), claim("one")));
        Map<String, Decision> now = decisions();
        assertThat(now.get(claim("three").meta().uid()))
                .extracting(Decision::result)
                .isInstanceOf(Decision.DecisionResult.Allocated.class);
    }

    // ---- writing

    private static void publish(PublicRecord... records) {
        try (var topics = new PublicTopicProducer(stack.kafka(), stack.registry(), "stranger")) {
            for (PublicRecord each : records) {
                switch (each) {
                    case PublicRecord.InventoryTopicRecord record -> topics.send(record.key(), record.value());
                    case PublicRecord.ClaimsTopicRecord record -> topics.send(record.key(), record.value());
                }
            }
            topics.flush();
        }
    }

    private static byte[] text(String key) {
        return key.getBytes(StandardCharsets.UTF_8);
    }

    private static void send(String topic, byte[] key, byte[] value) throws InterruptedException, ExecutionException {
        send(topic, Optional.of(key), value);
    }

    private static void send(String topic, Optional<byte[]> key, byte[] value)
            throws InterruptedException, ExecutionException {
        sendTo(1 << 20, topic, key, value);
    }

    private static void sendTo(int requestMax, String topic, Optional<byte[]> key, byte[] value)
            throws InterruptedException, ExecutionException {
        var properties = stack.kafka().properties();
        properties.put("max.request.size", Integer.toString(requestMax));
        try (var producer = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            var record = key.map(bytes -> new ProducerRecord<>(topic, 0, bytes, value))
                    .orElseGet(() -> new ProducerRecord<>(topic, value));
            producer.send(record).get();
        }
    }

    // ---- reading

    /** Returns the counter of the metrics page. */
    private static long rejectedBytes(String topic) {
        return new TopicMeter(services, ProcessMeter.BROKER_REJECTED).count(topic);
    }

    private static long ignored(String topic, String reason) {
        return new TopicMeter(services, AllocatorMeter.IGNORED_RECORDS).count(topic, reason);
    }

    private static void assertNothingChanged() {
        assertThat(services.getBean(Allocator.class).isAlive()).isTrue();
        assertThat(decisions()).isEqualTo(before);
    }

    /** Returns the last decision of each claim, once all records sent so far are decided. */
    private static Map<String, Decision> decisions() {
        String probe = "probe-" + ++probes;
        services.getBean(SnapshotPublisher.class).probe(probe);
        String answer = new RecordKey(List.of("probe", "", probe)).text();
        read(Topics.EXPLANATIONS, records -> records.stream().anyMatch(each -> text(answer, each)));
        var serde = AvroSerde.of(DecisionRecord.class, stack.registry());
        Map<String, Decision> decisions = new TreeMap<>();
        read(Topics.DECISIONS, records -> true).forEach(record -> {
            if (serde.read(record.topic(), record.value())
                    instanceof DecodeResult.Value<DecisionRecord>(DecisionRecord value)) {
                decisions.put(value.getClaimUid(), DecisionCodec.from(value));
            }
        });
        return decisions;
    }

    private static boolean text(String key, ConsumerRecord<byte[], byte[]> record) {
        return key.equals(new String(record.key(), StandardCharsets.UTF_8));
    }

    private static List<BadRecord> badRecords() {
        var serde = AvroSerde.of(BadRecord.class, stack.registry());
        List<BadRecord> found = new ArrayList<>();
        read(Topics.BAD_RECORDS, records -> true).forEach(record -> {
            if (serde.read(record.topic(), record.value()) instanceof DecodeResult.Value<BadRecord>(BadRecord value)) {
                found.add(value);
            }
        });
        return found;
    }

    private interface ReadCondition {
        boolean isReached(List<ConsumerRecord<byte[], byte[]>> records);
    }

    /** Reads the topic to its end, and further until the condition is met. */
    private static List<ConsumerRecord<byte[], byte[]>> read(String topic, ReadCondition enough) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        var partition = new TopicPartition(topic, 0);
        try (var consumer = new KafkaConsumer<>(
                ConsumerSettings.of(stack.kafka(), "test").properties(),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
            Instant until = Instant.now().plus(PATIENCE);
            while (consumer.position(partition) < end || !enough.isReached(records)) {
                assertThat(Instant.now()).as("%s says what it should", topic).isBefore(until);
                consumer.poll(Duration.ofMillis(50)).forEach(records::add);
            }
        }
        return records;
    }
}

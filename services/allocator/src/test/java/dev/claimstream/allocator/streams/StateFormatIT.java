package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.observability.Health.HealthStatus;
import dev.claimstream.schemas.StateRow;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A version with another format of the state follows on this one, and this one on that one, without an operator. */
class StateFormatIT {
    private static final StateFormat NEXT =
            new StateFormat(StateFormat.CURRENT.written() + 1, StateFormat.CURRENT.written() + 1);
    private static final TopicPartition CHANGELOG = new TopicPartition(AllocatorTopology.CHANGELOG, 0);

    private final ClusterInputs cluster = new ClusterInputs().withDevices(8).claim("a", 1);

    @TempDir
    private Path folder = Path.of("");

    private AllocatorHarness harness;

    @SuppressWarnings("NullAway.Init") // JUnit calls start before any test
    StateFormatIT() {}

    @BeforeEach
    void start() {
        harness = AllocatorHarness.create(folder, Map.of(), AllocatorHarness.settingsWithSliceSource());
        try (var first = harness.start("state").awaitRunning()) {
            harness.publish(cluster.published());
            harness.awaitAllocated(1);
            publishClaim("b", 2);
            harness.awaitAllocated(2);
            assertThat(first.failure).isNotDone();
        }
        harness.removeMembers();
    }

    @AfterEach
    void stop() {
        harness.close();
    }

    private void publishClaim(String claim, long devices) {
        int known = cluster.published().size();
        harness.publish(cluster.claim(claim, devices).published().subList(known, known + 1));
    }

    private SortedMap<String, Long> numbers() {
        SortedMap<String, Long> numbers = new TreeMap<>();
        harness.decisions().forEach((claim, decision) -> numbers.put(claim, decision.getNumber()));
        return numbers;
    }

    private int storedFormat() {
        try (var offsets = new KafkaAdmin(harness.kafka());
                var records = new TopicRangeReader(harness.kafka(), "test-format")) {
            var row = records.last(
                            CHANGELOG, offsets.begin(CHANGELOG), offsets.committedEnd(CHANGELOG), CellRows::isHeader)
                    .orElseThrow();
            return AvroSerde.of(StateRow.class, harness.registry()).read(CellRows.SUBJECT, row.value())
                            instanceof DecodeResult.Value<StateRow>(StateRow header)
                    ? StateHeader.from(header).format()
                    : 0;
        }
    }

    /** Overwrites all rows except the header: a program of another format cannot read them. */
    private void makeRowsUnreadable() throws ExecutionException, InterruptedException {
        try (var offsets = new KafkaAdmin(harness.kafka());
                var records = new TopicRangeReader(harness.kafka(), "test-rows");
                var producer = new KafkaProducer<>(
                        harness.kafka().properties(), new ByteArraySerializer(), new ByteArraySerializer())) {
            SortedMap<String, byte[]> keys = new TreeMap<>();
            records.forEach(CHANGELOG, offsets.begin(CHANGELOG), offsets.committedEnd(CHANGELOG), record -> {
                if (!CellRows.isHeader(record) && record.value() != null) {
                    keys.put(new String(record.key(), StandardCharsets.UTF_8), record.key());
                }
            });
            for (byte[] key : keys.values()) {
                var unused = producer.send(new ProducerRecord<>(
                                CHANGELOG.topic(), CHANGELOG.partition(), key, new byte[] {9, 9, 9}))
                        .get();
            }
        }
    }

    private void assertContinues(StateFormat format, String claim) {
        var devices = harness.allocatedDevices();
        var numbers = numbers();
        try (var next = harness.withFormat(format).start("state").awaitRunning()) {
            publishClaim(claim, 1);
            harness.awaitAllocated(devices.size() + 1);
            assertThat(next.failure).isNotDone();
        }
        harness.removeMembers();
        assertThat(storedFormat()).isEqualTo(format.written());
        assertThat(harness.allocatedDevices()).containsAllEntriesOf(devices);
        assertThat(numbers()).containsAllEntriesOf(numbers);
        assertThat(harness.allocatedDevices().values().stream().flatMap(List::stream))
                .doesNotHaveDuplicates();
        LedgerVerifier.verifyLinks(harness.ledger());
    }

    @Test
    void upgradesAndRollsBackWithoutOperator() throws ExecutionException, InterruptedException {
        assertThat(storedFormat()).isEqualTo(StateFormat.CURRENT.written());
        makeRowsUnreadable();
        assertContinues(NEXT, "c");
        assertContinues(NEXT, "d");
        makeRowsUnreadable();
        assertContinues(StateFormat.CURRENT, "e");
        assertThat(rebuilds()).isEqualTo(2); // not at the start with the same format
    }

    private long rebuilds() {
        return harness.ledger().stream()
                .filter(each -> each.getEvent().equals("rebuild"))
                .count();
    }

    /** As in a rolling change: the new version is ready, and the former one allocates until it stops. */
    @Test
    @Tag("part-0")
    void waitsForAllocatorOfFormerFormat() {
        var former = harness.withFormat(StateFormat.CURRENT)
                .start("allocator-1", "state-1")
                .awaitRunning();
        try (var next = harness.withFormat(NEXT).start("state")) {
            AllocatorHarness.await(() -> next.cells.condition().status() == HealthStatus.DEGRADED);
            assertThat(next.cells.condition().sentence())
                    .contains("the state has format 4, and this program reads formats 5 to 5")
                    .contains("waiting until every allocator of the other version has stopped");
            publishClaim("c", 1);
            harness.awaitAllocated(3);
            former.close();
            harness.removeMembers("allocator-1");
            next.awaitRunning();
            publishClaim("d", 1);
            harness.awaitAllocated(4);
            assertThat(next.failure).isNotDone();
        } finally {
            former.close();
        }
        assertThat(storedFormat()).isEqualTo(NEXT.written());
        assertThat(harness.allocatedDevices().values().stream().flatMap(List::stream))
                .doesNotHaveDuplicates();
        assertThat(rebuilds()).isEqualTo(1);
    }

    /** Lost records need an operator, whatever format the state has. */
    @Test
    @Tag("part-1")
    void doesNotRebuildAfterLoss() {
        harness.truncateToHalf(new TopicPartition("ledger.v1", 0));
        try (var next = harness.withFormat(NEXT).start("state")) {
            assertThat(next.continuityError()).contains("claimstream.allocator.rebuild=true");
        }
        assertThat(storedFormat()).isEqualTo(StateFormat.CURRENT.written());
    }

    /** Header and ledger change between two reads while the former allocator decides. */
    @Test
    @Tag("part-1")
    void checksLogOnlyAfterFormerAllocatorsHaveStopped() {
        try (var former = harness.withFormat(StateFormat.CURRENT)
                .start("allocator-1", "state-1")
                .awaitRunning()) {
            var upgrade = upgrade(new IntactCellLog(), () -> {}, InstantSource.system());
            assertThat(upgrade.isComplete()).isFalse();
            assertThat(upgrade.waitingReason().orElse("")).contains("waiting until every allocator");
            assertThat(former.failure).isNotDone();
        }
        harness.removeMembers("allocator-1");
    }

    /** Two allocators that always begin at once would fence each other for ever. */
    @Test
    @Tag("part-1")
    void leavesTimeToAllocatorThatRebuilds() {
        var clock = new AtomicReference<>(Instant.EPOCH);
        var rebuilds = new AtomicInteger();
        var upgrade = upgrade(
                new KafkaCellLog(harness.kafka(), harness.registry(), "next"),
                () -> {
                    if (rebuilds.incrementAndGet() < 3) {
                        throw new KafkaException("an input was not written", new ProducerFencedException("fenced"));
                    }
                },
                clock::get);
        assertThat(upgrade.isComplete()).isFalse();
        assertThat(upgrade.isComplete()).isFalse();
        assertThat(upgrade.waitingReason().orElse("")).contains("waiting for the rebuild by another allocator");
        assertThat(rebuilds).hasValue(1);
        clock.set(Instant.EPOCH.plusSeconds(10));
        assertThat(upgrade.isComplete()).isFalse();
        clock.set(Instant.EPOCH.plusSeconds(29));
        assertThat(upgrade.isComplete()).isFalse();
        assertThat(rebuilds).as("the pause doubles").hasValue(2);
        clock.set(Instant.EPOCH.plusSeconds(30));
        assertThat(upgrade.isComplete()).isTrue();
    }

    @Test
    @Tag("part-1")
    void doesNotCommitRebuildOfGroupWithMembers() {
        var log = KafkaAdmin.log(0);
        try (var running = harness.start("state").awaitRunning();
                var rebuild = new RebuildTransaction(harness.kafka(), harness.registry())) {
            rebuild.begin();
            assertThatExceptionOfType(LogContinuityException.class)
                    .isThrownBy(() -> rebuild.commit(Map.of(AllocatorTopology.APPLICATION, Map.of(log, 0L))))
                    .withMessageContaining("has members: stop every other allocator first");
            assertThat(running.failure).isNotDone();
        }
    }

    private StateFormatUpgrade upgrade(CellLog log, Runnable rebuild, InstantSource clock) {
        return new StateFormatUpgrade(harness.kafka(), harness.registry(), log, NEXT, "next", rebuild, clock);
    }
}

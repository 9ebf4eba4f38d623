package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kafka.Topics;
import dev.claimstream.schemas.DecisionRecord;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An allocator restarts on the state of another, intact or with lost topics, records, offsets and transactions. */
class RestartIT {
    private static final TopicPartition DECISIONS = new TopicPartition(Topics.DECISIONS, 0);
    private static final TopicPartition LEDGER = new TopicPartition(Topics.LEDGER, 0);

    private final ClusterInputs cluster = new ClusterInputs().withDevices(6).claim("a", 1);

    @TempDir
    private Path folder = Path.of("");

    private AllocatorHarness harness;
    private final Map<String, Long> numbers = new TreeMap<>();

    @SuppressWarnings("NullAway.Init") // JUnit calls start before any test
    RestartIT() {}

    /** Two claims are allocated, each in its own transaction, and their allocator has stopped. */
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
        harness.decisions().forEach((claim, decision) -> numbers.put(claim, decision.getNumber()));
    }

    @AfterEach
    void stop() {
        harness.close();
    }

    private void deleteClaim(String claim) {
        int known = cluster.published().size();
        harness.publish(cluster.deleteClaim(claim).published().subList(known, known + 1));
    }

    private void publishClaim(String claim, long devices) {
        int known = cluster.published().size();
        harness.publish(cluster.claim(claim, devices).published().subList(known, known + 1));
    }

    @Test
    void continuesWithAndWithoutStateFolder() {
        var before = harness.allocatedDevices();
        try (var again = harness.start("state").awaitRunning()) {
            publishClaim("c", 1);
            harness.awaitAllocated(3);
            assertThat(again.failure).isNotDone();
        }
        try (var elsewhere = harness.start("another-state").awaitRunning()) {
            publishClaim("d", 1);
            harness.awaitAllocated(4);
            assertThat(elsewhere.failure).isNotDone();
        }
        assertThat(harness.allocatedDevices()).containsAllEntriesOf(before);
        assertNoDuplicateDevices();
        LedgerVerifier.verifyLinks(harness.ledger());
        assertThat(harness.ledger()).extracting(each -> each.getEvent()).contains("snapshot");
    }

    @Test
    void reportsLostChangelogAndRebuilds() {
        harness.deleteTopic(AllocatorTopology.CHANGELOG);
        try (var robbed = harness.start("state")) {
            assertThat(robbed.continuityError())
                    .contains("the changelog is lost", "claimstream.allocator.rebuild=true");
        }
        assertRebuilds();
    }

    @Test
    @Tag("part-0")
    void reportsRecreatedLogAndRebuilds() {
        harness.deleteTopic(Topics.CELLS_IN);
        harness.createTopics();
        try (var robbed = harness.start("state")) {
            assertThat(robbed.continuityError()).contains("claimstream.allocator.rebuild=true");
        }
        assertRebuilds();
    }

    @Test
    @Tag("part-1")
    void reportsTruncatedLogWithoutState() {
        var log = new TopicPartition(Topics.CELLS_IN, 0);
        try (var admin = harness.admin();
                var offsets = new KafkaAdmin(harness.kafka())) {
            admin.deleteRecords(Map.of(log, RecordsToDelete.beforeOffset(offsets.end(log))))
                    .all()
                    .get();
            admin.deleteConsumerGroupOffsets(AllocatorTopology.APPLICATION, java.util.Set.of(log))
                    .all()
                    .get();
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        }
        harness.deleteTopic(AllocatorTopology.CHANGELOG);
        try (var robbed = harness.start("state")) {
            assertThat(robbed.continuityError()).contains("neither state nor offset, and its log begins at offset");
        }
        assertRebuilds();
    }

    /** As after a crash before the disk has the last records. */
    @Test
    @Tag("part-2")
    void reportsLostRecordsThatWereApplied() {
        harness.truncateToHalf(KafkaAdmin.log(0));
        try (var robbed = harness.start("state")) {
            assertThat(robbed.continuityError())
                    .containsPattern(
                            "cell 0: the log ends at offset \\d+, and inputs up to offset \\d+ were applied: records are lost")
                    .contains("claimstream.allocator.rebuild=true");
        }
        assertRebuilds();
    }

    /** The lost events are not recoverable. The hash chain continues after the last event that is left. */
    @Test
    @Tag("part-3")
    void reportsLostLedgerEvents() {
        harness.truncateToHalf(LEDGER);
        try (var robbed = harness.start("state")) {
            assertThat(robbed.continuityError())
                    .containsPattern(
                            "topic ledger.v1, partition 0, (ends with event \\d+ of the input|is empty, and|has records of)")
                    .contains("claimstream.allocator.rebuild=true");
        }
        assertRebuilds();
    }

    @Test
    @Tag("part-2")
    void reportsLostDecisionsAndRebuildRepublishesThem() {
        var before = harness.allocatedDevices();
        harness.truncateAfterFirstTransaction(DECISIONS);
        assertThat(harness.allocatedDevices()).containsOnlyKeys("a");
        try (var robbed = harness.start("state")) {
            assertThat(robbed.continuityError())
                    .containsPattern(
                            "cell 0: decision \\d+ on claim team/b is in topic ledger.v1, but not in topic decisions.v1")
                    .contains("claimstream.allocator.rebuild=true");
        }
        assertRepublishes(before);
    }

    /** A consumer with {@code read_committed} would wait for the end of this transaction forever. */
    @ParameterizedTest
    @ValueSource(strings = {Topics.LEDGER, Topics.DECISIONS})
    @Tag("part-4")
    void reportsUnfinishedTransactionAndRebuildEndsIt(String topic) {
        var before = harness.allocatedDevices();
        harness.removeLastBatch(new TopicPartition(topic, 0));
        try (var robbed = harness.start("state")) {
            assertThat(robbed.continuityError())
                    .contains("topic %s, partition 0, has records of a committed transaction".formatted(topic))
                    .contains("claimstream.allocator.rebuild=true");
        }
        assertRepublishes(before);
    }

    /** Brokers can lose unwritten records of several topics. */
    @ParameterizedTest
    @ValueSource(strings = {Topics.LEDGER, AllocatorTopology.CHANGELOG})
    @Tag("part-0")
    void rebuildRepublishesDecisionsFromRemainingTopic(String lost) {
        try (var again = harness.start("state").awaitRunning()) {
            deleteClaim("a"); // a new decision could allocate the devices to the other claim
            harness.awaitConsumed();
            assertThat(again.failure).isNotDone();
        }
        harness.removeMembers();
        numbers.put("a", harness.decision("a").getNumber());
        var before = harness.allocatedDevices();
        assertThat(before).containsOnlyKeys("b");
        harness.deleteTopic(Topics.DECISIONS);
        harness.deleteTopic(lost);
        harness.createTopics();
        try (var robbed = harness.start("state")) {
            assertThat(robbed.continuityError()).contains(" lost", "claimstream.allocator.rebuild=true");
        }
        assertRepublishes(before);
    }

    /** The numbers stay the same, so that consumers that have read the decisions see no change. */
    private void assertRepublishes(SortedMap<String, List<String>> before) {
        try (var rebuilt = harness.rebuild("state").awaitRunning()) {
            publishClaim("c", 3);
            harness.awaitAllocated(before.size() + 1);
            assertThat(rebuilt.failure).isNotDone();
        }
        assertThat(harness.allocatedDevices()).containsAllEntriesOf(before);
        assertThat(before.keySet())
                .allSatisfy(
                        claim -> assertThat(harness.decision(claim).getNumber()).isEqualTo(numbers.get(claim)));
        assertThat(harness.decision("c").getNumber()).isGreaterThan(Collections.max(numbers.values()));
        assertNoDuplicateDevices();
        LedgerVerifier.verifyLinks(harness.ledger());
        try (var again = harness.start("state").awaitRunning()) {
            assertThat(again.failure).isNotDone();
        }
    }

    /** A compacted topic keeps no record of a claim some time after its tombstone. */
    @Test
    @Tag("part-1")
    void acceptsMissingReleaseOfDeletedClaim() {
        try (var again = harness.start("state").awaitRunning()) {
            deleteClaim("b");
            deleteClaim("a");
            harness.awaitConsumed();
            assertThat(again.failure).isNotDone();
        }
        assertThat(harness.decision("a").getReleased()).isTrue();
        try (var again = harness.start("state").awaitRunning()) {
            assertThat(again.failure).isNotDone();
        }
        harness.deleteTopic(Topics.DECISIONS);
        harness.createTopics();
        try (var again = harness.start("state").awaitRunning()) {
            publishClaim("c", 6);
            harness.awaitAllocated(1);
            assertThat(again.failure).isNotDone();
        }
    }

    @Test
    @Tag("part-2")
    void acceptsDecisionsBehindOpenTransaction() {
        var barrier = harness.blockReaders(DECISIONS);
        try (var again = harness.start("state").awaitRunning()) {
            long before = harness.recordCount(List.of(DECISIONS));
            publishClaim("c", 1);
            AllocatorHarness.await(() ->
                    harness.recordCount(List.of(DECISIONS)) > before + 1); // the decision and its transaction marker
            assertThat(again.failure).isNotDone();
        }
        harness.removeMembers();
        assertThat(harness.allocatedDevices()).doesNotContainKey("c");
        try (var again = harness.start("state").awaitRunning()) {
            assertThat(again.failure).isNotDone();
        }
        barrier.close();
        harness.awaitAllocated(3);
    }

    @Test
    @Tag("part-3")
    void reportsLostOffset() throws ExecutionException, InterruptedException {
        try (var admin = harness.admin()) {
            admin.deleteConsumerGroups(List.of(AllocatorTopology.APPLICATION))
                    .all()
                    .get();
        }
        try (var robbed = harness.start("state")) {
            assertThat(robbed.continuityError()).contains("has lost its offset in cells.in, and the cell has a state");
        }
        assertRebuilds();
    }

    /** A broker that has just started may return the offset a little later. */
    @Test
    @Tag("part-3")
    void awaitsOffsetThatAppearsLate() throws ExecutionException, InterruptedException {
        var log = KafkaAdmin.log(0);
        try (var admin = harness.admin();
                var offsets = new KafkaAdmin(harness.kafka())) {
            long before = offsets.committed(AllocatorTopology.APPLICATION, log).orElseThrow();
            admin.deleteConsumerGroups(List.of(AllocatorTopology.APPLICATION))
                    .all()
                    .get();
            var later = CompletableFuture.runAsync(
                    () -> offsets.set(AllocatorTopology.APPLICATION, Map.of(log, before)),
                    CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS));
            assertThat(new OffsetInitializer(
                                    harness.kafka(), new KafkaCellLog(harness.kafka(), harness.registry(), "late"))
                            .prepare())
                    .isTrue();
            later.get();
            assertThat(offsets.committed(AllocatorTopology.APPLICATION)).containsEntry(log, before);
        }
    }

    /** A killed process leaves an open transaction that includes the offset, until the brokers abort it. */
    @Test
    @Tag("part-4")
    void acceptsOffsetInOpenTransaction() {
        var log = KafkaAdmin.log(0);
        Properties settings = harness.kafka().properties();
        settings.put("transactional.id", "killed");
        settings.put("group.id", AllocatorTopology.APPLICATION);
        try (var killed = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
                var group = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
                var offsets = new KafkaAdmin(harness.kafka())) {
            OptionalLong before = offsets.committed(AllocatorTopology.APPLICATION, log);
            killed.initTransactions();
            killed.beginTransaction();
            killed.sendOffsetsToTransaction(
                    Map.of(log, new OffsetAndMetadata(before.orElseThrow() + 1)), group.groupMetadata());
            assertThat(offsets.committed(AllocatorTopology.APPLICATION)).containsEntry(log, before.orElseThrow());
            try (var again = harness.start("state")) {
                var asked = CompletableFuture.supplyAsync(() -> offsets.committed(AllocatorTopology.APPLICATION, log));
                assertThat(again.failure
                                .copy()
                                .completeOnTimeout(new Throwable("none"), 3, TimeUnit.SECONDS)
                                .join())
                        .hasMessage("none");
                assertThat(asked).isNotDone();
                killed.abortTransaction();
                assertThat(asked.join()).isEqualTo(before);
                again.awaitRunning();
                publishClaim("c", 1);
                harness.awaitAllocated(3);
            }
        }
    }

    /** A committed transaction becomes readable a moment later; here a long moment. */
    @Test
    @Tag("part-0")
    void rebuildsBehindOpenTransactionOfLog() {
        harness.deleteTopic(AllocatorTopology.CHANGELOG);
        closeLater(harness.blockReaders(KafkaAdmin.log(0)));
        assertRebuilds();
    }

    @Test
    @Tag("part-1")
    void rebuildKeepsDecisionsBehindOpenTransactions() {
        var decisions = harness.partitions(Topics.DECISIONS);
        var barriers = decisions.stream().map(harness::blockReaders).toList();
        try (var again = harness.start("state").awaitRunning()) {
            long before = harness.recordCount(decisions);
            publishClaim("c", 1);
            AllocatorHarness.await(
                    () -> harness.recordCount(decisions) > before + 1); // the decision and its transaction marker
            assertThat(again.failure).isNotDone();
        }
        harness.removeMembers();
        assertThat(harness.allocatedDevices()).doesNotContainKey("c");
        barriers.forEach(RestartIT::closeLater);
        try (var rebuilt = harness.rebuild("state").awaitRunning()) {
            DecisionRecord known = harness.decision("c");
            publishClaim("d", 2);
            harness.awaitAllocated(4);
            assertThat(harness.decision("c")).isEqualTo(known);
            assertThat(rebuilt.failure).isNotDone();
        }
        assertNoDuplicateDevices();
    }

    private static void closeLater(AllocatorHarness.ReadBarrier barrier) {
        CompletableFuture.delayedExecutor(3, TimeUnit.SECONDS).execute(barrier::close);
    }

    /**
     * Asserts that a rebuild releases a claim deleted meanwhile, keeps existing allocations and allocates free devices.
     */
    private void assertRebuilds() {
        var before = harness.allocatedDevices();
        long highest = highestNumber();
        deleteClaim("b");
        try (var rebuilt = harness.rebuild("state").awaitRunning()) {
            publishClaim("c", 5);
            AllocatorHarness.await(() -> harness.allocatedDevices().containsKey("c"));
            assertThat(rebuilt.failure).isNotDone();
            AllocatorHarness.await(() -> rebuilt.meters
                    .text()
                    .contains("claimstream_devices{class=\"gpu\",driver=\"gpu.example.com\",state=\"allocated\"} 6.0"));
        }
        assertThat(harness.decision("b").getReleased()).isTrue();
        assertThat(harness.allocatedDevices().get("a")).isEqualTo(before.get("a"));
        assertThat(harness.decision("c").getNumber()).isGreaterThan(highest);
        assertNoDuplicateDevices();
        LedgerVerifier.verifyLinks(harness.ledger());
        try (var again = harness.start("state").awaitRunning()) {
            assertThat(again.failure).isNotDone();
        }
    }

    private long highestNumber() {
        return harness.allDecisions().stream()
                .mapToLong(each -> each.getNumber())
                .max()
                .orElseThrow();
    }

    private void assertNoDuplicateDevices() {
        assertThat(harness.allocatedDevices().values().stream().flatMap(List::stream))
                .doesNotHaveDuplicates();
    }
}

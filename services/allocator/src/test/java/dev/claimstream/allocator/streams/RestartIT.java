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

    private final World world = new World().withDevices(6).claim("a", 1);

    @TempDir
    private Path folder = Path.of("");

    private Site site;
    private final Map<String, Long> numbers = new TreeMap<>();

    @SuppressWarnings("NullAway.Init") // JUnit calls start before any test
    RestartIT() {}

    /** Two claims are allocated, each in its own transaction, and their allocator has stopped. */
    @BeforeEach
    void start() {
        site = Site.in(folder, Map.of(), Site.waitingForSlices());
        try (var first = site.start("state").awaitRunning()) {
            site.publish(world.published());
            site.awaitGranted(1);
            more("b", 2);
            site.awaitGranted(2);
            assertThat(first.broken).isNotDone();
        }
        site.forgetMembers();
        site.decisions().forEach((claim, decision) -> numbers.put(claim, decision.getNumber()));
    }

    @AfterEach
    void stop() {
        site.close();
    }

    private void withdraw(String claim) {
        int known = world.published().size();
        site.publish(world.withdrawn(claim).published().subList(known, known + 1));
    }

    private void more(String claim, long devices) {
        int known = world.published().size();
        site.publish(world.claim(claim, devices).published().subList(known, known + 1));
    }

    @Test
    void itGoesOnWithOrWithoutItsFolder() {
        var before = site.granted();
        try (var again = site.start("state").awaitRunning()) {
            more("c", 1);
            site.awaitGranted(3);
            assertThat(again.broken).isNotDone();
        }
        try (var elsewhere = site.start("another-state").awaitRunning()) {
            more("d", 1);
            site.awaitGranted(4);
            assertThat(elsewhere.broken).isNotDone();
        }
        assertThat(site.granted()).containsAllEntriesOf(before);
        assertNothingTwice();
        Ledger.verifyLinks(site.ledger());
        assertThat(site.ledger()).extracting(each -> each.getEvent()).contains("snapshot");
    }

    @Test
    void aLostChangelogIsSaidAndARebuildGivesNothingTwice() {
        site.deleteTopic(AllocatorTopology.CHANGELOG);
        try (var robbed = site.start("state")) {
            assertThat(robbed.refusal()).contains("the changelog is lost", "claimstream.allocator.rebuild=true");
        }
        assertRebuilds();
    }

    @Test
    @Tag("part-0")
    void aLogThatWasMadeAgainIsSaidAndARebuildGivesNothingTwice() {
        site.deleteTopic(Topics.CELLS_IN);
        site.makeTopics();
        try (var robbed = site.start("state")) {
            assertThat(robbed.refusal()).contains("claimstream.allocator.rebuild=true");
        }
        assertRebuilds();
    }

    @Test
    @Tag("part-1")
    void aLogWithoutItsBeginningAndNoStateIsSaid() {
        var log = new TopicPartition(Topics.CELLS_IN, 0);
        try (var admin = site.admin();
                var offsets = new KafkaAdmin(site.kafka())) {
            admin.deleteRecords(Map.of(log, RecordsToDelete.beforeOffset(offsets.end(log))))
                    .all()
                    .get();
            admin.deleteConsumerGroupOffsets(AllocatorTopology.APPLICATION, java.util.Set.of(log))
                    .all()
                    .get();
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        }
        site.deleteTopic(AllocatorTopology.CHANGELOG);
        try (var robbed = site.start("state")) {
            assertThat(robbed.refusal()).contains("neither state nor offset, and its log begins at offset");
        }
        assertRebuilds();
    }

    /** As after a crash before the disk has the last records. */
    @Test
    @Tag("part-2")
    void recordsThatWereAppliedAndAreLostAreSaid() {
        site.loseHalfOf(KafkaAdmin.log(0));
        try (var robbed = site.start("state")) {
            assertThat(robbed.refusal())
                    .containsPattern(
                            "cell 0: the log ends at offset \\d+, and inputs up to offset \\d+ were applied: records are lost")
                    .contains("claimstream.allocator.rebuild=true");
        }
        assertRebuilds();
    }

    /** The lost events are not recoverable. The hash chain continues after the last event that is left. */
    @Test
    @Tag("part-3")
    void eventsOfTheLedgerThatAreLostAreSaid() {
        site.loseHalfOf(LEDGER);
        try (var robbed = site.start("state")) {
            assertThat(robbed.refusal())
                    .containsPattern(
                            "topic ledger.v1, partition 0, (ends with event \\d+ of the input|is empty, and|has records of)")
                    .contains("claimstream.allocator.rebuild=true");
        }
        assertRebuilds();
    }

    @Test
    void decisionsThatAreLostAreSaidAndSaidAgainByARebuild() {
        var before = site.granted();
        site.loseAllBehindFirstTransactionOf(DECISIONS);
        assertThat(site.granted()).containsOnlyKeys("a");
        try (var robbed = site.start("state")) {
            assertThat(robbed.refusal())
                    .containsPattern(
                            "cell 0: decision \\d+ on claim team/b stands in topic ledger.v1 and not in topic decisions.v1")
                    .contains("claimstream.allocator.rebuild=true");
        }
        assertSaidAgain(before);
    }

    /** A consumer with {@code read_committed} would wait for the end of this transaction forever. */
    @ParameterizedTest
    @ValueSource(strings = {Topics.LEDGER, Topics.DECISIONS})
    @Tag("part-4")
    void aTransactionWhoseEndIsLostIsSaidAndEndedByARebuild(String topic) {
        var before = site.granted();
        site.loseLastBatchOf(new TopicPartition(topic, 0));
        try (var robbed = site.start("state")) {
            assertThat(robbed.refusal())
                    .contains("topic %s, partition 0, has records of a transaction that has ended".formatted(topic))
                    .contains("claimstream.allocator.rebuild=true");
        }
        assertSaidAgain(before);
    }

    /** Brokers can lose unwritten records of several topics. */
    @ParameterizedTest
    @ValueSource(strings = {Topics.LEDGER, AllocatorTopology.CHANGELOG})
    @Tag("part-0")
    void decisionsThatOneOtherTopicKnowsAreSaidAgainByARebuild(String lost) {
        try (var again = site.start("state").awaitRunning()) {
            withdraw("a"); // a new decision could allocate the devices to the other claim
            site.awaitTaken();
            assertThat(again.broken).isNotDone();
        }
        site.forgetMembers();
        numbers.put("a", site.decision("a").getNumber());
        var before = site.granted();
        assertThat(before).containsOnlyKeys("b");
        site.deleteTopic(Topics.DECISIONS);
        site.deleteTopic(lost);
        site.makeTopics();
        try (var robbed = site.start("state")) {
            assertThat(robbed.refusal()).contains(" lost", "claimstream.allocator.rebuild=true");
        }
        assertSaidAgain(before);
    }

    /** The numbers stay the same, so that consumers that have read the decisions see no change. */
    private void assertSaidAgain(SortedMap<String, List<String>> before) {
        try (var rebuilt = site.rebuild("state").awaitRunning()) {
            more("c", 3);
            site.awaitGranted(before.size() + 1);
            assertThat(rebuilt.broken).isNotDone();
        }
        assertThat(site.granted()).containsAllEntriesOf(before);
        assertThat(before.keySet())
                .allSatisfy(
                        claim -> assertThat(site.decision(claim).getNumber()).isEqualTo(numbers.get(claim)));
        assertThat(site.decision("c").getNumber()).isGreaterThan(Collections.max(numbers.values()));
        assertNothingTwice();
        Ledger.verifyLinks(site.ledger());
        try (var again = site.start("state").awaitRunning()) {
            assertThat(again.broken).isNotDone();
        }
    }

    /** A compacted topic keeps no record of a claim some time after its tombstone. */
    @Test
    @Tag("part-1")
    void theLastWordOnAClaimThatIsGoneIsNotMissed() {
        try (var again = site.start("state").awaitRunning()) {
            withdraw("b");
            withdraw("a");
            site.awaitTaken();
            assertThat(again.broken).isNotDone();
        }
        assertThat(site.decision("a").getReleased()).isTrue();
        try (var again = site.start("state").awaitRunning()) {
            assertThat(again.broken).isNotDone();
        }
        site.deleteTopic(Topics.DECISIONS);
        site.makeTopics();
        try (var again = site.start("state").awaitRunning()) {
            more("c", 6);
            site.awaitGranted(1);
            assertThat(again.broken).isNotDone();
        }
    }

    @Test
    @Tag("part-2")
    void whatCannotBeReadYetIsNotMissed() {
        var barrier = site.barrier(DECISIONS);
        try (var again = site.start("state").awaitRunning()) {
            long before = site.ends(List.of(DECISIONS));
            more("c", 1);
            Site.await(
                    () -> site.ends(List.of(DECISIONS)) > before + 1); // the decision and its transaction marker
            assertThat(again.broken).isNotDone();
        }
        site.forgetMembers();
        assertThat(site.granted()).doesNotContainKey("c");
        try (var again = site.start("state").awaitRunning()) {
            assertThat(again.broken).isNotDone();
        }
        barrier.close();
        site.awaitGranted(3);
    }

    @Test
    void aLostOffsetIsSaid() throws ExecutionException, InterruptedException {
        try (var admin = site.admin()) {
            admin.deleteConsumerGroups(List.of(AllocatorTopology.APPLICATION))
                    .all()
                    .get();
        }
        try (var robbed = site.start("state")) {
            assertThat(robbed.refusal()).contains("has lost its offset in cells.in, and the cell has a state");
        }
        assertRebuilds();
    }

    /** A broker that has just started may return the offset a little later. */
    @Test
    @Tag("part-3")
    void anOffsetThatIsSaidLateIsNotLost() throws ExecutionException, InterruptedException {
        var log = KafkaAdmin.log(0);
        try (var admin = site.admin();
                var offsets = new KafkaAdmin(site.kafka())) {
            long before = offsets.committed(AllocatorTopology.APPLICATION, log).orElseThrow();
            admin.deleteConsumerGroups(List.of(AllocatorTopology.APPLICATION))
                    .all()
                    .get();
            var later = CompletableFuture.runAsync(
                    () -> offsets.set(AllocatorTopology.APPLICATION, Map.of(log, before)),
                    CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS));
            assertThat(new OffsetInitializer(site.kafka(), new KafkaCellLog(site.kafka(), site.registry(), "late"))
                            .prepare())
                    .isTrue();
            later.get();
            assertThat(offsets.committed(AllocatorTopology.APPLICATION)).containsEntry(log, before);
        }
    }

    /** A killed process leaves an open transaction that includes the offset, until the brokers abort it. */
    @Test
    @Tag("part-4")
    void anOffsetInAnOpenTransactionIsNotLost() {
        var log = KafkaAdmin.log(0);
        Properties settings = site.kafka().properties();
        settings.put("transactional.id", "killed");
        settings.put("group.id", AllocatorTopology.APPLICATION);
        try (var killed = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
                var group = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
                var offsets = new KafkaAdmin(site.kafka())) {
            OptionalLong before = offsets.committed(AllocatorTopology.APPLICATION, log);
            killed.initTransactions();
            killed.beginTransaction();
            killed.sendOffsetsToTransaction(
                    Map.of(log, new OffsetAndMetadata(before.orElseThrow() + 1)), group.groupMetadata());
            assertThat(offsets.committed(AllocatorTopology.APPLICATION)).containsEntry(log, before.orElseThrow());
            try (var again = site.start("state")) {
                var asked = CompletableFuture.supplyAsync(() -> offsets.committed(AllocatorTopology.APPLICATION, log));
                assertThat(again.broken
                                .copy()
                                .completeOnTimeout(new Throwable("none"), 3, TimeUnit.SECONDS)
                                .join())
                        .hasMessage("none");
                assertThat(asked).isNotDone();
                killed.abortTransaction();
                assertThat(asked.join()).isEqualTo(before);
                again.awaitRunning();
                more("c", 1);
                site.awaitGranted(3);
            }
        }
    }

    /** A committed transaction becomes readable a moment later; here a long moment. */
    @Test
    @Tag("part-0")
    void aRebuildThatCannotBeReadYetIsOne() {
        site.deleteTopic(AllocatorTopology.CHANGELOG);
        liftLater(site.barrier(KafkaAdmin.log(0)));
        assertRebuilds();
    }

    @Test
    @Tag("part-1")
    void whatCannotBeReadYetIsNotForgottenByARebuild() {
        var decisions = site.partitions(Topics.DECISIONS);
        var barriers = decisions.stream().map(site::barrier).toList();
        try (var again = site.start("state").awaitRunning()) {
            long before = site.ends(decisions);
            more("c", 1);
            Site.await(() -> site.ends(decisions) > before + 1); // the decision and its transaction marker
            assertThat(again.broken).isNotDone();
        }
        site.forgetMembers();
        assertThat(site.granted()).doesNotContainKey("c");
        barriers.forEach(RestartIT::liftLater);
        try (var rebuilt = site.rebuild("state").awaitRunning()) {
            DecisionRecord known = site.decision("c");
            more("d", 2);
            site.awaitGranted(4);
            assertThat(site.decision("c")).isEqualTo(known);
            assertThat(rebuilt.broken).isNotDone();
        }
        assertNothingTwice();
    }

    private static void liftLater(Site.Barrier barrier) {
        CompletableFuture.delayedExecutor(3, TimeUnit.SECONDS).execute(barrier::close);
    }

    /**
     * Asserts that a rebuild releases a claim deleted meanwhile, keeps existing allocations and allocates free devices.
     */
    private void assertRebuilds() {
        var before = site.granted();
        long highest = highestNumber();
        withdraw("b");
        try (var rebuilt = site.rebuild("state").awaitRunning()) {
            more("c", 5);
            Site.await(() -> site.granted().containsKey("c"));
            assertThat(rebuilt.broken).isNotDone();
            Site.await(() -> rebuilt.meters
                    .text()
                    .contains("claimstream_devices{class=\"gpu\",driver=\"gpu.example.com\",state=\"held\"} 6.0"));
        }
        assertThat(site.decision("b").getReleased()).isTrue();
        assertThat(site.granted().get("a")).isEqualTo(before.get("a"));
        assertThat(site.decision("c").getNumber()).isGreaterThan(highest);
        assertNothingTwice();
        Ledger.verifyLinks(site.ledger());
        try (var again = site.start("state").awaitRunning()) {
            assertThat(again.broken).isNotDone();
        }
    }

    private long highestNumber() {
        return site.allDecisions().stream()
                .mapToLong(each -> each.getNumber())
                .max()
                .orElseThrow();
    }

    private void assertNothingTwice() {
        assertThat(site.granted().values().stream().flatMap(List::stream)).doesNotHaveDuplicates();
    }
}

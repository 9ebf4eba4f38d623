package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.ExplanationRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.wire.DecisionCodec;
import dev.claimstream.wire.ExplanationCodec;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TestOutputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The allocator topology from {@code cells.in} to its output topics, without a broker. */
final class AllocatorTopologyTest {
    /** Length of the header before the Avro body of each record: a zero byte and the schema id. */
    private static final int HEADER_BYTES = 5;

    private static final ObjectKey FIRST = new ObjectKey("team", "first");

    private final SchemaRegistry registry = SchemaRegistry.inMemory();
    private TopologyTestDriver driver;
    private TestInputTopic<String, CellInputRecord> inputs;

    @SuppressWarnings("NullAway.Init") // JUnit calls start before any test
    AllocatorTopologyTest() {}

    @BeforeEach
    void start(@TempDir Path folder) {
        var properties = new Properties();
        properties.setProperty(StreamsConfig.APPLICATION_ID_CONFIG, "allocator-test");
        properties.setProperty(StreamsConfig.STATE_DIR_CONFIG, folder.toString());
        driver = new TopologyTestDriver(
                AllocatorTopology.of(
                        registry, IntactCellLog.environment(0), new CommitScheduler(InstantSource.system())),
                properties);
        inputs = driver.createInputTopic(
                Topics.CELLS_IN,
                new StringSerializer(),
                AvroSerde.of(CellInputRecord.class, registry).serializer());
    }

    @AfterEach
    void stop() {
        driver.close();
    }

    private void feed(ClusterInputs cluster) {
        cluster.inputs().forEach(inputs::pipeInput);
    }

    private <T extends SpecificRecord> TestOutputTopic<String, T> output(String topic, Class<T> type) {
        return driver.createOutputTopic(
                topic, new StringDeserializer(), AvroSerde.of(type, registry).deserializer());
    }

    @Test
    void claimAfterSyncYieldsDecisionExplanationAndEvent() {
        feed(new ClusterInputs().withSliceSource().withDevices(2).claim("first", 1));

        var decided = output(Topics.DECISIONS, DecisionRecord.class).readKeyValuesToList();
        assertThat(decided).extracting(each -> each.key).containsOnly("uid-first");
        Decision decision = DecisionCodec.from(decided.getLast().value);
        assertThat(decision.claim()).isEqualTo(FIRST);
        assertThat(devices(decision)).containsExactly(new DeviceId(ClusterInputs.DRIVER, "node-1", "gpu-0"));

        var explained = output(Topics.EXPLANATIONS, ExplanationRecord.class).readKeyValuesToList();
        assertThat(explained).extracting(each -> each.key).containsOnly("claim/team/first");
        Explanation explanation = ExplanationCodec.from(explained.getLast().value);
        assertThat(explanation.item()).isEqualTo(ItemId.claim(FIRST));
        assertThat(explanation.detail()).isInstanceOf(Explanation.ExplanationDetail.Allocated.class);

        var events = output(Topics.LEDGER, LedgerEvent.class).readKeyValuesToList();
        assertThat(events).extracting(each -> each.key).containsOnly("0");
        assertThat(events.getLast().value.getEvent()).isEqualTo("allocated");
        assertThat(events)
                .extracting(each -> each.value.getDecision().orElseThrow())
                .isEqualTo(decided.stream().map(each -> each.value).toList());
    }

    @Test
    void doesNotDecideBeforeSourceSyncs() {
        feed(new ClusterInputs().withSliceSource().claim("first", 1));
        assertThat(output(Topics.DECISIONS, DecisionRecord.class).isEmpty()).isTrue();
    }

    @Test
    void pendingClaimIsAllocatedAfterOtherClaimIsDeleted() {
        var cluster = new ClusterInputs()
                .withSliceSource()
                .withDevices(2)
                .claim("first", 1)
                .claim("second", 2);
        feed(cluster);
        var decided = output(Topics.DECISIONS, DecisionRecord.class);
        assertThat(lastDecision("second", decided.readKeyValuesToList()).result())
                .isInstanceOfSatisfying(
                        Decision.DecisionResult.Pending.class,
                        pending -> assertThat(pending.reason()).isEqualTo(Reason.DevicesInUse));

        int known = cluster.inputs().size();
        cluster.deleteClaim("first").inputs().stream().skip(known).forEach(inputs::pipeInput);
        var after = decided.readKeyValuesToList();
        assertThat(lastDecision("first", after).result()).isEqualTo(new Decision.DecisionResult.Released());
        assertThat(after).anyMatch(each -> each.value == null); // a tombstone follows the release of a deleted claim
        assertThat(devices(lastDecision("second", after))).hasSize(2);
    }

    @Test
    void retriesNodeAfterBackoffThatRejectedPod() {
        var cluster = new ClusterInputs()
                .withSliceSource()
                .withDevices(1)
                .pod("p", "first")
                .claim("first", 1);
        feed(cluster);
        var decided = output(Topics.DECISIONS, DecisionRecord.class);
        var allocated = (Decision.DecisionResult.Allocated)
                lastDecision("first", decided.readKeyValuesToList()).result();

        int known = cluster.inputs().size();
        cluster
                .status("first", Optional.of(allocated.allocation()), allocated.reservedFor())
                .status("first", Optional.empty(), List.of())
                .inputs()
                .stream()
                .skip(known)
                .forEach(inputs::pipeInput);
        assertThat(lastDecision("first", decided.readKeyValuesToList()).result())
                .isInstanceOfSatisfying(
                        Decision.DecisionResult.Pending.class,
                        pending -> assertThat(pending.reason()).isEqualTo(Reason.NodeRejected));

        driver.advanceWallClockTime(Duration.ofSeconds(2));
        assertThat(lastDecision("first", decided.readKeyValuesToList()).result())
                .isInstanceOf(Decision.DecisionResult.Allocated.class);
        var ticks = output(Topics.CELLS_IN, CellInputRecord.class).readValuesToList();
        assertThat(ticks).hasSize(1).allMatch(each -> each.getTick().isPresent());
        driver.advanceWallClockTime(Duration.ofMinutes(1));
        assertThat(output(Topics.CELLS_IN, CellInputRecord.class).isEmpty()).isTrue();
    }

    @Test
    void deletedClaimYieldsExplanationTombstone() {
        feed(new ClusterInputs()
                .withSliceSource()
                .withDevices(1)
                .claim("first", 1)
                .deleteClaim("first"));
        assertThat(output(Topics.EXPLANATIONS, ExplanationRecord.class)
                        .readKeyValuesToList()
                        .getLast())
                .isEqualTo(new KeyValue<>("claim/team/first", null));
    }

    @Test
    void answersProbeWithAllocatedAndPendingCounts() {
        feed(new ClusterInputs()
                .withSliceSource()
                .withDevices(1)
                .claim("first", 1)
                .claim("second", 4)
                .probe("are we there"));
        var last = output(Topics.EXPLANATIONS, ExplanationRecord.class)
                .readKeyValuesToList()
                .getLast();
        assertThat(ExplanationCodec.probeAnswer(last.value)).contains(new Output.ProbeAnswered("are we there", 1, 1));
    }

    @Test
    void ledgerVerifiesFromItsBytes() {
        feed(new ClusterInputs()
                .withSliceSource()
                .withDevices(3)
                .claim("first", 1)
                .claim("second", 3)
                .claim("third", 2)
                .deleteClaim("first")
                .deleteClaim("third"));
        List<byte[]> bytes = driver.createOutputTopic(
                        Topics.LEDGER, new StringDeserializer(), new ByteArrayDeserializer())
                .readValuesToList();
        assertThat(bytes).hasSizeGreaterThan(5);
        LedgerVerifier.verify(bytes.stream()
                .map(each -> Arrays.copyOfRange(each, HEADER_BYTES, each.length))
                .toList());
    }

    /** Names in the topology are names of topics and metrics: a change of them loses state. */
    @Test
    void topologyKeepsItsNames() {
        assertThat(AllocatorTopology.of(
                                registry, IntactCellLog.environment(0), new CommitScheduler(InstantSource.system()))
                        .describe()
                        .toString())
                .isEqualTo("""
                Topologies:
                   Sub-topology: 0
                    Source: input (topics: [cells.in])
                      --> cell
                    Processor: cell (stores: [process-id, cell-rows])
                      --> comparisons, decisions, explanations, ledger, ticks
                      <-- input
                    Sink: comparisons (topic: comparisons.v1)
                      <-- cell
                    Sink: decisions (topic: decisions.v1)
                      <-- cell
                    Sink: explanations (topic: explanations.v1)
                      <-- cell
                    Sink: ledger (topic: ledger.v1)
                      <-- cell
                    Sink: ticks (topic: cells.in)
                      <-- cell

                """);
    }

    private static Decision lastDecision(String claim, List<KeyValue<String, DecisionRecord>> decided) {
        return decided.stream()
                .filter(each -> each.value != null)
                .map(each -> DecisionCodec.from(each.value))
                .filter(each -> each.claim().name().equals(claim))
                .reduce((earlier, later) -> later)
                .orElseThrow();
    }

    private static List<DeviceId> devices(Decision decision) {
        return decision.result() instanceof Decision.DecisionResult.Allocated allocated
                ? allocated.allocation().results().stream()
                        .map(DeviceResult::device)
                        .toList()
                : List.of();
    }

    @Test
    void describesActivityByCellAndThreadCount() {
        assertThat(CellStreams.describeActivity(1, 1)).isEqualTo("1 cell active");
        assertThat(CellStreams.describeActivity(2, 1)).isEqualTo("2 cells active");
        assertThat(CellStreams.describeActivity(4, 2)).isEqualTo("4 cells active in 2 threads");
    }
}

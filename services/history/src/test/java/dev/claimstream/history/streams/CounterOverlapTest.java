package dev.claimstream.history.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.history.AllocatedDevice;
import dev.claimstream.history.DeviceOverlap;
import dev.claimstream.history.FoldChanges;
import dev.claimstream.history.HistoryFold;
import dev.claimstream.history.HistoryInput;
import dev.claimstream.history.HistoryObservation;
import dev.claimstream.history.LedgerFact;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.CounterConsumptionRecord;
import dev.claimstream.schemas.CounterSetRecord;
import dev.claimstream.schemas.DeviceRecord;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.NodeScopeRecord;
import dev.claimstream.schemas.ObjectMetaRecord;
import dev.claimstream.schemas.Origin;
import dev.claimstream.schemas.ResourceSliceRecord;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Partitions of one GPU, whose counters are in another slice of the pool: which fit together, and which do not. */
final class CounterOverlapTest {
    private static final Instant BEGIN = Instant.parse("2026-03-01T12:00:00Z");

    private HistoryFold fold = new HistoryFold(1);
    private long version;
    private long second;

    private void slice(String uid, long generation, List<CounterSetRecord> sets, List<DeviceRecord> devices) {
        apply(EventReader.observation(CellInputRecord.newBuilder()
                .setAt(BEGIN)
                .setOrigin(Origin.newBuilder()
                        .setTopic("inventory.v1")
                        .setPartition(0)
                        .setPartitions(1)
                        .setOffset(0)
                        .build())
                .setInventory(InventoryRecord.newBuilder()
                        .setSource("agent")
                        .setEpoch(1)
                        .setVersion(++version)
                        .setUid(uid)
                        .setSlice(ResourceSliceRecord.newBuilder()
                                .setMeta(ObjectMetaRecord.newBuilder()
                                        .setName(uid)
                                        .setUid(uid)
                                        .build())
                                .setDriver("gpu.example.com")
                                .setPool("node-1")
                                .setGeneration(generation)
                                .setResourceSliceCount(2)
                                .setScope(NodeScopeRecord.newBuilder()
                                        .setNode("node-1")
                                        .build())
                                .setDevices(devices)
                                .setSharedCounters(sets)
                                .build())
                        .build())
                .build()));
    }

    private static CounterSetRecord set(String memory) {
        return CounterSetRecord.newBuilder()
                .setName("gpu-0")
                .setCounters(Map.of("memory", memory, "multiprocessors", "98"))
                .build();
    }

    private static DeviceRecord partition(String name, String memory) {
        return DeviceRecord.newBuilder()
                .setName(name)
                .setConsumesCounters(List.of(CounterConsumptionRecord.newBuilder()
                        .setCounterSet("gpu-0")
                        .setCounters(Map.of("memory", memory, "multiprocessors", "14"))
                        .build()))
                .build();
    }

    private void publish() {
        slice("counters", 1, List.of(set("40Gi")), List.of());
        slice(
                "devices",
                1,
                List.of(),
                List.of(
                        partition("whole", "40Gi"),
                        partition("half-0", "20Gi"),
                        partition("half-1", "20Gi"),
                        partition("small", "5Gi")));
    }

    private void apply(HistoryObservation observation, LedgerFact... facts) {
        fold.apply(new HistoryInput(0, ++second, observation, List.of(facts)));
    }

    private void allocate(String claim, String device, boolean adminAccess) {
        apply(
                new HistoryObservation.OtherInput(),
                new LedgerFact.AllocationFact(
                        "uid-" + claim,
                        1,
                        "team",
                        claim,
                        "node-1",
                        "",
                        List.of(new AllocatedDevice(
                                new DeviceId("gpu.example.com", "node-1", device), "gpus", "", adminAccess, Map.of())),
                        List.of()));
    }

    private void release(String claim) {
        apply(new HistoryObservation.OtherInput(), new LedgerFact.ReleaseFact("uid-" + claim, 1));
    }

    private List<String> overlaps() {
        return fold.drain().overlaps().stream()
                .map(each ->
                        "%s of %s beside %s: %s".formatted(each.device(), each.claim(), each.other(), each.reason()))
                .toList();
    }

    @Test
    void reportsPartitionsBeyondCounters() {
        publish();
        allocate("a", "half-0", false);
        allocate("b", "half-1", false);
        assertThat(overlaps()).isEmpty();
        allocate("c", "small", false);
        assertThat(overlaps())
                .containsExactly(
                        "small of team/c beside team/a: the devices consume more memory of the counter set gpu-0 than its 40Gi");
    }

    @Test
    void freesCountersWithTheirDevice() {
        publish();
        allocate("a", "whole", false);
        release("a");
        allocate("b", "half-0", false);
        assertThat(overlaps()).isEmpty();
        allocate("c", "whole", false);
        assertThat(overlaps()).hasSize(1);
    }

    @Test
    void adminAccessConsumesNothing() {
        publish();
        allocate("a", "whole", false);
        allocate("admin", "half-0", true);
        assertThat(overlaps()).isEmpty();
    }

    @Test
    void countersOfHigherGenerationCount() {
        publish();
        slice("later", 2, List.of(set("80Gi")), List.of());
        allocate("a", "whole", false);
        allocate("b", "half-0", false);
        assertThat(overlaps()).isEmpty();
        apply(new HistoryObservation.SliceDeletion("later"));
        allocate("c", "half-1", false);
        assertThat(overlaps()).hasSize(1);
    }

    @Test
    void continuesFromStoredState() {
        publish();
        allocate("a", "whole", false);
        FoldChanges stored = fold.drain();
        fold = new HistoryFold(1);
        stored.rows().forEach(row -> row.value().ifPresent(value -> fold.restore(row.key(), value)));
        allocate("b", "small", false);
        assertThat(fold.drain().overlaps())
                .singleElement()
                .extracting(DeviceOverlap::claim, DeviceOverlap::other)
                .containsExactly("team/b", "team/a");
    }
}

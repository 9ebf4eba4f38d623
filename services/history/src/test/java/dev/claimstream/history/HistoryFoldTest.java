package dev.claimstream.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.history.HistoryObservation.ClaimState;
import dev.claimstream.history.HistoryObservation.Origin;
import dev.claimstream.history.HistoryObservation.OtherInput;
import dev.claimstream.history.HistoryObservation.SliceDevice;
import dev.claimstream.history.HistoryObservation.SliceState;
import dev.claimstream.history.LedgerFact.AllocationFact;
import dev.claimstream.history.LedgerFact.ReleaseFact;
import dev.claimstream.history.RandomHistory.TrueInterval;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HistoryFoldTest {
    private static final DeviceId GPU = new DeviceId("gpu.example.com", "node-1", "gpu-0");
    private static final long SECOND = 1_000_000;

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void findsTrueIntervalsOfRandomHistory(long seed) {
        RandomHistory history = RandomHistory.of(seed, 5, 3000);
        var fold = new HistoryFold(RandomHistory.cells());
        history.inputs().forEach(fold::apply);
        assertThat(intervals(List.of(fold.drain()))).as("seed %d", seed).isEqualTo(sorted(history.truth()));
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {21, 22, 23, 24, 25, 26})
    void storedAndRestoredStateGivesSameIntervals(long seed) {
        RandomHistory history = RandomHistory.of(seed, 5, 1500);
        var random = new Random(seed);
        var stored = new java.util.TreeMap<String, Object>();
        List<FoldChanges> drained = new ArrayList<>();
        var fold = new HistoryFold(RandomHistory.cells());
        for (HistoryInput input : history.inputs()) {
            fold.apply(input);
            if (random.nextInt(50) == 0) {
                drained.add(store(fold, stored));
                fold = new HistoryFold(RandomHistory.cells());
                HistoryFold restored = fold;
                stored.forEach((key, row) -> restored.restore(key.substring(key.indexOf(' ') + 1), row));
            }
        }
        drained.add(store(fold, stored));
        List<TrueInterval> found = intervals(drained);
        assertThat(found.stream().filter(each -> each.to() > 0).toList())
                .as("seed %d", seed)
                .isEqualTo(sorted(history.truth()).stream()
                        .filter(each -> each.to() > 0)
                        .toList());
        assertThat(fold.openIntervals()).isEqualTo((int)
                history.truth().stream().filter(each -> each.to() == 0).count());
    }

    private static FoldChanges store(HistoryFold fold, Map<String, Object> stored) {
        FoldChanges changes = fold.drain();
        changes.rows()
                .forEach(row -> row.value()
                        .ifPresentOrElse(
                                value -> stored.put(row.kind() + " " + row.key(), value),
                                () -> stored.remove(row.kind() + " " + row.key())));
        return changes;
    }

    private static List<TrueInterval> intervals(List<FoldChanges> drained) {
        Stream<Interval> open = drained.getLast().rows().stream()
                .flatMap(row -> row.value().stream())
                .filter(Interval.class::isInstance)
                .map(Interval.class::cast);
        return sorted(Stream.concat(drained.stream().flatMap(each -> each.intervals().stream()), open)
                .map(each ->
                        new TrueInterval(each.deviceKey(), each.claim(), each.allocatedMicros(), each.releasedMicros()))
                .toList());
    }

    private static List<TrueInterval> sorted(List<TrueInterval> intervals) {
        return intervals.stream().sorted(TrueInterval.ORDER).toList();
    }

    @Test
    void reportsTwoClaimsWithOneDevice() {
        var fold = new HistoryFold(1);
        fold.apply(input(1, new OtherInput(), allocation("a", 1, AllocatedDevice.whole(GPU, "gpus"))));
        fold.apply(input(2, new OtherInput(), allocation("b", 2, AllocatedDevice.whole(GPU, "gpus"))));
        assertThat(fold.drain().overlaps())
                .containsExactly(new DeviceOverlap(
                        "gpu.example.com",
                        "node-1",
                        "gpu-0",
                        "team/b",
                        "team/a",
                        2 * SECOND,
                        "the whole device is allocated to a claim"));
    }

    @Test
    void reportsSharesBeyondCapacityOnly() {
        var fold = new HistoryFold(1);
        fold.apply(input(
                1,
                new SliceState(
                        new Origin("agent", 1, 1),
                        "slice",
                        "gpu.example.com",
                        "node-1",
                        "node-1",
                        List.of(new SliceDevice("gpu-0", true, Map.of("memory", "80Gi"), "H100")))));
        fold.apply(input(2, new OtherInput(), allocation("a", 1, share("one", "40Gi"))));
        fold.apply(input(3, new OtherInput(), allocation("b", 2, share("two", "40Gi"))));
        assertThat(fold.drain().overlaps()).isEmpty();
        fold.apply(input(4, new OtherInput(), allocation("c", 3, share("three", "1Gi"))));
        assertThat(fold.drain().overlaps())
                .extracting(DeviceOverlap::reason)
                .containsExactly("the shares consume more memory than the 80Gi of the device");
    }

    @Test
    void deviceChangesHandsWithinOneInputWithoutAlarm() {
        var fold = new HistoryFold(1);
        fold.apply(input(1, new OtherInput(), allocation("a", 1, AllocatedDevice.whole(GPU, "gpus"))));
        fold.apply(input(
                2,
                new HistoryObservation.ClaimDeletion("watcher", "uid-a"),
                new ReleaseFact("uid-a", 1),
                allocation("b", 2, AllocatedDevice.whole(GPU, "gpus"))));
        FoldChanges changes = fold.drain();
        assertThat(changes.overlaps()).isEmpty();
        assertThat(changes.intervals()).extracting(Interval::cause).containsExactly("claim-deleted");
    }

    @Test
    void ignoresReleaseOfEarlierDecision() {
        var fold = new HistoryFold(1);
        fold.apply(input(1, new OtherInput(), allocation("a", 5, AllocatedDevice.whole(GPU, "gpus"))));
        fold.apply(input(2, new OtherInput(), new ReleaseFact("uid-a", 4)));
        assertThat(fold.openIntervals()).isEqualTo(1);
    }

    private static HistoryObservation pod(long epoch, String name) {
        return new HistoryObservation.PodState(new Origin("watcher", epoch, 1), "team", name, Map.of("app", "train"));
    }

    @Test
    void forgetsPodsThatLaterListDoesNotHave() {
        var fold = new HistoryFold(1);
        fold.apply(input(1, pod(1, "pod-a")));
        fold.apply(input(2, pod(1, "pod-b")));
        fold.apply(input(3, pod(2, "pod-b")));
        fold.apply(input(4, new HistoryObservation.ListEnd("watcher", HistoryObservation.ListedKind.POD, 2, 0, 1)));
        assertThat(fold.drain().rows())
                .filteredOn(row -> row.kind() == FoldChanges.RowKind.POD)
                .extracting(FoldChanges.ChangedRow::key)
                .containsExactly("team/pod-b");
    }

    @Test
    void classAndLabelsAreThoseOfClaimAndPod() {
        var fold = new HistoryFold(1);
        fold.apply(input(1, pod(1, "pod-a")));
        fold.apply(input(
                2,
                new ClaimState(
                        new Origin("watcher", 1, 1),
                        "uid-a",
                        "team",
                        "a",
                        Map.of("gpus", "gpu-large"),
                        Map.of(),
                        Optional.empty(),
                        List.of()),
                allocation("a", 1, AllocatedDevice.whole(GPU, "gpus"))));
        fold.apply(input(3, new OtherInput(), new ReleaseFact("uid-a", 1)));
        Interval interval = fold.drain().intervals().getFirst();
        assertThat(interval.deviceClass()).isEqualTo("gpu-large");
        assertThat(interval.labels()).isEqualTo(Map.of("app", "train"));
        assertThat(interval.cause()).isEqualTo("released");
    }

    private static AllocatedDevice share(String id, String memory) {
        return new AllocatedDevice(GPU, "gpus", id, false, Map.of("memory", memory));
    }

    private static AllocationFact allocation(String claim, long number, AllocatedDevice device) {
        return new AllocationFact(
                "uid-" + claim,
                number,
                "team",
                claim,
                "node-1",
                "pod-" + claim,
                List.of(device),
                List.of("pod-" + claim));
    }

    private static HistoryInput input(long second, HistoryObservation observation, LedgerFact... facts) {
        return new HistoryInput(0, second * SECOND, observation, List.of(facts));
    }
}

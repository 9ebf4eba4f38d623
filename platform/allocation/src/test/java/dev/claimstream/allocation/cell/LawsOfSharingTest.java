package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.Campaign;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.dra.CounterConsumption;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.ResourceSlice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests random claims on shared devices and partitions.
 *
 * <p>Allocations never exceed capacities and counters. If a changed pool has less, an alarm reports it.
 */
class LawsOfSharingTest {
    private static final int STEPS = 120;
    private static final String[] CLAIMS = {
        "1 gpu (memory:10Gi)",
        "1 gpu (memory:35Gi)",
        "2 gpu (memory:5Gi)",
        "1 gpu",
        "1 gpu (memory:1Gi) and 1 gpu (memory:2Gi)",
        "all gpu (memory:3Gi)",
        "1 half",
        "1 slice",
        "2 slice",
        "1 whole or 2 half",
        "1 half and 1 gpu (memory:20Gi)"
    };

    static LongStream seeds() {
        return Campaign.seeds(9000, Integer.getInteger("laws.seeds", 40));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void nothingIsGivenOutThatIsNotThere(long seed) {
        var random = new Random(seed);
        var stage = new Stage();
        var acts = new Sentences();
        ItemActs.addTo(acts, stage);
        ClusterActs.addTo(acts, stage);
        List<String> said = new ArrayList<>();
        begin(random).forEach(sentence -> say(acts, said, sentence));
        List<String> there = new ArrayList<>();
        int grants = 0;
        for (int i = 0; i < STEPS; i++) {
            if (!there.isEmpty() && random.nextInt(5) < 2) {
                say(acts, said, "claim %s is deleted".formatted(there.remove(random.nextInt(there.size()))));
            } else {
                there.add("c" + i);
                say(acts, said, "claim c%d wants %s".formatted(i, CLAIMS[random.nextInt(CLAIMS.length)]));
            }
            stage.play();
            String where = "seed %d after%n%s".formatted(seed, String.join("\n", said));
            nothingIsOverdrawn(stage.state(), where);
            sameAfterRestart(stage.state(), where);
            grants = Math.max(grants, results(stage.state()).size());
        }
        assertThat(grants).as("seed %d gives something out", seed).isGreaterThan(3);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void whatChangedPoolsLeaveOverdrawnIsToldAndNothingElse(long seed) {
        var random = new Random(seed);
        var stage = new Stage();
        var acts = new Sentences();
        ItemActs.addTo(acts, stage);
        ClusterActs.addTo(acts, stage);
        List<String> said = new ArrayList<>();
        begin(random).forEach(sentence -> say(acts, said, sentence));
        List<String> there = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            switch (random.nextInt(10)) {
                case 0 ->
                    pool(1 + random.nextInt(2), 2 + random.nextInt(7), 10 * (1 + random.nextInt(8)))
                            .forEach(sentence -> say(acts, said, sentence));
                case 1, 2, 3 -> {
                    if (!there.isEmpty()) {
                        say(acts, said, "claim %s is deleted".formatted(there.remove(random.nextInt(there.size()))));
                    }
                }
                default -> {
                    there.add("c" + i);
                    say(acts, said, "claim c%d wants %s".formatted(i, CLAIMS[random.nextInt(CLAIMS.length)]));
                }
            }
            stage.play();
            assertThat(told(stage.state()))
                    .as("seed %d after%n%s", seed, String.join("\n", said))
                    .isEqualTo(overdrawn(stage.state()));
        }
    }

    private static SortedSet<DeviceId> told(State state) {
        SortedSet<DeviceId> told = new TreeSet<>();
        state.alarms().forEach(alarm -> {
            assertThat(alarm.type()).isEqualTo(Alarm.AlarmType.OVERDRAWN);
            told.add(alarm.device());
        });
        return told;
    }

    private static List<String> begin(Random random) {
        List<String> sentences = new ArrayList<>(List.of("class gpu", "class whole", "class half", "class slice"));
        sentences.add(random.nextBoolean() ? "policy first-fit" : "policy best-fit");
        for (int node = 1; node <= 2; node++) {
            sentences.add("node-%d is ready".formatted(node));
            sentences.addAll(pool(node, 8, 80));
        }
        return sentences;
    }

    /**
     * Sentences that publish a pool.
     *
     * @param memory memory counter of the partitions
     * @param gibibytes memory capacity of the largest shared device
     */
    private static List<String> pool(int node, int memory, int gibibytes) {
        return List.of(
                "node-%d publishes %%mig memory=%d sm=7, first of 2 slices".formatted(node, memory),
                ("node-%d publishes gpu-0 memory:%dGi +shared, gpu-1 memory:40Gi +shared, whole-0 -mig:memory=8/sm=7,"
                                + " half-0 -mig:memory=4/sm=3, half-1 -mig:memory=4/sm=3, slice-0 -mig:memory=1/sm=1,"
                                + " slice-1 -mig:memory=1/sm=1, gpu-2 memory:10Gi +shared -mig:memory=2/sm=2, slice b of 2")
                        .formatted(node, gibibytes));
    }

    private static void say(Sentences acts, List<String> said, String sentence) {
        said.add(sentence);
        assertThat(acts.act(sentence)).as(sentence).isPresent();
    }

    private static List<DeviceResult> results(State state) {
        return state.rowsFrom("grant/").values().stream()
                .map(Row.AllocationRow.class::cast)
                .filter(grant -> grant.commitState() != Row.AllocationRow.CommitState.REVOKED)
                .flatMap(grant -> grant.allocation().results().stream())
                .toList();
    }

    private static void nothingIsOverdrawn(State state, String where) {
        results(state)
                .forEach(result -> assertThat(result.shareId().isPresent())
                        .as(where)
                        .isEqualTo(device(state, result).allowMultipleAllocations()));
        assertThat(overdrawn(state)).as(where).isEmpty();
    }

    /** The devices that consume an exceeded capacity or counter. */
    private static SortedSet<DeviceId> overdrawn(State state) {
        SortedMap<String, Quantity> there = there(state);
        SortedMap<String, Quantity> taken = new TreeMap<>();
        SortedMap<DeviceId, SortedSet<String>> takenBy = new TreeMap<>();
        for (DeviceResult result : results(state)) {
            boolean isFirst = !takenBy.containsKey(result.device());
            SortedSet<String> by = takenBy.computeIfAbsent(result.device(), _ -> new TreeSet<>());
            takings(device(state, result), result, isFirst).forEach((what, amount) -> {
                taken.merge(what, amount, Quantity::plus);
                by.add(what);
            });
        }
        taken.entrySet()
                .removeIf(each -> each.getValue().compareTo(there.getOrDefault(each.getKey(), Quantity.of(0))) <= 0);
        SortedSet<DeviceId> overdrawn = new TreeSet<>();
        takenBy.forEach((device, by) -> {
            if (!Collections.disjoint(by, taken.keySet())) {
                overdrawn.add(device);
            }
        });
        return overdrawn;
    }

    /** Published capacities and counters by pool and name. */
    private static SortedMap<String, Quantity> there(State state) {
        SortedMap<String, Quantity> there = new TreeMap<>();
        for (ResourceSlice slice : slices(state)) {
            slice.sharedCounters()
                    .forEach(set -> set.counters()
                            .forEach((name, value) -> there.put(slice.pool() + "/" + set.name() + "/" + name, value)));
            slice.devices()
                    .forEach(device -> device.capacity()
                            .forEach((name, capacity) ->
                                    there.put(slice.pool() + "/" + device.name() + ":" + name, capacity.value())));
        }
        return there;
    }

    /** The consumption of one result. A shared device consumes its counters once. */
    private static SortedMap<String, Quantity> takings(Device device, DeviceResult result, boolean isFirst) {
        SortedMap<String, Quantity> takings = new TreeMap<>();
        String pool = result.device().pool();
        result.consumedCapacity()
                .forEach((name, amount) -> takings.put(pool + "/" + device.name() + ":" + name, amount));
        for (CounterConsumption each : isFirst ? device.consumesCounters() : List.<CounterConsumption>of()) {
            each.counters().forEach((name, amount) -> takings.put(pool + "/" + each.counterSet() + "/" + name, amount));
        }
        return takings;
    }

    private static List<ResourceSlice> slices(State state) {
        return state.inventory().pools().values().stream()
                .flatMap(pool -> pool.values().stream())
                .toList();
    }

    private static Device device(State state, DeviceResult result) {
        return slices(state).stream()
                .filter(slice -> slice.pool().equals(result.device().pool()))
                .flatMap(slice -> slice.devices().stream())
                .filter(device -> device.name().equals(result.device().device()))
                .findFirst()
                .orElseThrow();
    }

    private static void sameAfterRestart(State state, String where) {
        State again = State.of(new TextSelectors(), state.rows().values());
        assertThat(again.allocatedByUid()).as(where).isEqualTo(state.allocatedByUid());
        state.allocatedByUid().values().stream()
                .flatMap(List::stream)
                .forEach(result -> assertThat(consumed(again, result)).as(where).isEqualTo(consumed(state, result)));
    }

    private static SortedMap<String, Quantity> consumed(State state, DeviceResult result) {
        return state.inventory().usage(result.device()).orElseThrow().consumed();
    }
}

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
class DeviceSharingPropertyTest {
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
    void neverAllocatesBeyondCapacity(long seed) {
        var random = new Random(seed);
        var stage = new CellFixture();
        var actions = new Sentences();
        ItemSentences.addTo(actions, stage);
        ClusterSentences.addTo(actions, stage);
        List<String> executed = new ArrayList<>();
        initialSentences(random).forEach(sentence -> execute(actions, executed, sentence));
        List<String> existing = new ArrayList<>();
        int allocations = 0;
        for (int i = 0; i < STEPS; i++) {
            if (!existing.isEmpty() && random.nextInt(5) < 2) {
                execute(
                        actions,
                        executed,
                        "claim %s is deleted".formatted(existing.remove(random.nextInt(existing.size()))));
            } else {
                existing.add("c" + i);
                execute(actions, executed, "claim c%d requests %s".formatted(i, CLAIMS[random.nextInt(CLAIMS.length)]));
            }
            stage.run();
            String context = "seed %d after%n%s".formatted(seed, String.join("\n", executed));
            assertNothingOverdrawn(stage.state(), context);
            assertSameAfterRestart(stage.state(), context);
            allocations = Math.max(allocations, results(stage.state()).size());
        }
        assertThat(allocations).as("seed %d gives something out", seed).isGreaterThan(3);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void raisesAlarmsExactlyForOverdrawnDevices(long seed) {
        var random = new Random(seed);
        var stage = new CellFixture();
        var actions = new Sentences();
        ItemSentences.addTo(actions, stage);
        ClusterSentences.addTo(actions, stage);
        List<String> executed = new ArrayList<>();
        initialSentences(random).forEach(sentence -> execute(actions, executed, sentence));
        List<String> existing = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            switch (random.nextInt(10)) {
                case 0 ->
                    poolSentences(1 + random.nextInt(2), 2 + random.nextInt(7), 10 * (1 + random.nextInt(8)))
                            .forEach(sentence -> execute(actions, executed, sentence));
                case 1, 2, 3 -> {
                    if (!existing.isEmpty()) {
                        execute(
                                actions,
                                executed,
                                "claim %s is deleted".formatted(existing.remove(random.nextInt(existing.size()))));
                    }
                }
                default -> {
                    existing.add("c" + i);
                    execute(
                            actions,
                            executed,
                            "claim c%d requests %s".formatted(i, CLAIMS[random.nextInt(CLAIMS.length)]));
                }
            }
            stage.run();
            assertThat(alarmedDevices(stage.state()))
                    .as("seed %d after%n%s", seed, String.join("\n", executed))
                    .isEqualTo(overdrawnDevices(stage.state()));
        }
    }

    private static SortedSet<DeviceId> alarmedDevices(State state) {
        SortedSet<DeviceId> alarmed = new TreeSet<>();
        state.alarms().forEach(alarm -> {
            assertThat(alarm.type()).isEqualTo(Alarm.AlarmType.OVERDRAWN);
            alarmed.add(alarm.device());
        });
        return alarmed;
    }

    private static List<String> initialSentences(Random random) {
        List<String> sentences = new ArrayList<>(
                List.of("class gpu exists", "class whole exists", "class half exists", "class slice exists"));
        sentences.add(random.nextBoolean() ? "the policy is first-fit" : "the policy is best-fit");
        for (int node = 1; node <= 2; node++) {
            sentences.add("node-%d is ready".formatted(node));
            sentences.addAll(poolSentences(node, 8, 80));
        }
        return sentences;
    }

    /**
     * Sentences that publish a pool.
     *
     * @param memory memory counter of the partitions
     * @param gibibytes memory capacity of the largest shared device
     */
    private static List<String> poolSentences(int node, int memory, int gibibytes) {
        return List.of(
                "node-%d publishes %%mig memory=%d sm=7 in a new generation, slice a of 2".formatted(node, memory),
                ("node-%d publishes gpu-0 memory:%dGi +shared, gpu-1 memory:40Gi +shared, whole-0 -mig:memory=8/sm=7,"
                                + " half-0 -mig:memory=4/sm=3, half-1 -mig:memory=4/sm=3, slice-0 -mig:memory=1/sm=1,"
                                + " slice-1 -mig:memory=1/sm=1, gpu-2 memory:10Gi +shared -mig:memory=2/sm=2"
                                + " in the same generation, slice b of 2")
                        .formatted(node, gibibytes));
    }

    private static void execute(Sentences actions, List<String> executed, String sentence) {
        executed.add(sentence);
        assertThat(actions.execute(sentence)).as(sentence).isPresent();
    }

    private static List<DeviceResult> results(State state) {
        return state.rows(ClaimRow.AllocationRow.ALL).stream()
                .filter(allocationRow -> allocationRow.commitState() != ClaimRow.AllocationRow.CommitState.REVOKED)
                .flatMap(allocationRow -> allocationRow.allocation().results().stream())
                .toList();
    }

    private static void assertNothingOverdrawn(State state, String context) {
        results(state)
                .forEach(result -> assertThat(result.shareId().isPresent())
                        .as(context)
                        .isEqualTo(device(state, result).allowMultipleAllocations()));
        assertThat(overdrawnDevices(state)).as(context).isEmpty();
    }

    /** The devices that consume an exceeded capacity or counter. */
    private static SortedSet<DeviceId> overdrawnDevices(State state) {
        SortedMap<String, Quantity> published = publishedAmounts(state);
        SortedMap<String, Quantity> consumed = new TreeMap<>();
        SortedMap<DeviceId, SortedSet<String>> takenBy = new TreeMap<>();
        for (DeviceResult result : results(state)) {
            boolean isFirst = !takenBy.containsKey(result.device());
            SortedSet<String> by = takenBy.computeIfAbsent(result.device(), _ -> new TreeSet<>());
            consumption(device(state, result), result, isFirst).forEach((resource, amount) -> {
                consumed.merge(resource, amount, Quantity::plus);
                by.add(resource);
            });
        }
        consumed.entrySet()
                .removeIf(
                        each -> each.getValue().compareTo(published.getOrDefault(each.getKey(), Quantity.of(0))) <= 0);
        SortedSet<DeviceId> overdrawn = new TreeSet<>();
        takenBy.forEach((device, by) -> {
            if (!Collections.disjoint(by, consumed.keySet())) {
                overdrawn.add(device);
            }
        });
        return overdrawn;
    }

    /** Published capacities and counters by pool and name. */
    private static SortedMap<String, Quantity> publishedAmounts(State state) {
        SortedMap<String, Quantity> published = new TreeMap<>();
        for (ResourceSlice slice : slices(state)) {
            slice.sharedCounters()
                    .forEach(set -> set.counters()
                            .forEach((name, value) ->
                                    published.put(slice.pool() + "/" + set.name() + "/" + name, value)));
            slice.devices()
                    .forEach(device -> device.capacity()
                            .forEach((name, capacity) ->
                                    published.put(slice.pool() + "/" + device.name() + ":" + name, capacity.value())));
        }
        return published;
    }

    /** The consumption of one result. A shared device consumes its counters once. */
    private static SortedMap<String, Quantity> consumption(Device device, DeviceResult result, boolean isFirst) {
        SortedMap<String, Quantity> consumptions = new TreeMap<>();
        String pool = result.device().pool();
        result.consumedCapacity()
                .forEach((name, amount) -> consumptions.put(pool + "/" + device.name() + ":" + name, amount));
        for (CounterConsumption each : isFirst ? device.consumesCounters() : List.<CounterConsumption>of()) {
            each.counters()
                    .forEach((name, amount) -> consumptions.put(pool + "/" + each.counterSet() + "/" + name, amount));
        }
        return consumptions;
    }

    private static List<ResourceSlice> slices(State state) {
        return state.inventory().slices().pools().values().stream()
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

    private static void assertSameAfterRestart(State state, String context) {
        State again = State.of(new TextSelectors(), state.rows().values());
        assertThat(again.devicesByHolder()).as(context).isEqualTo(state.devicesByHolder());
        state.devicesByHolder().values().stream()
                .flatMap(List::stream)
                .forEach(result ->
                        assertThat(consumed(again, result)).as(context).isEqualTo(consumed(state, result)));
    }

    private static SortedMap<String, Quantity> consumed(State state, DeviceResult result) {
        return state.inventory().usages().find(result.device()).orElseThrow().consumed();
    }
}

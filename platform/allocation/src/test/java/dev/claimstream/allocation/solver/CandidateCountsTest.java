package dev.claimstream.allocation.solver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.ResourceSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares incremental candidate counts with full counts after random slice changes. */
final class CandidateCountsTest {
    private static final int CHANGES = 200;

    private final DeviceInventory inventory = new DeviceInventory();
    private final AllocationProblem problem = problem();
    private final CandidateCounts counts = new CandidateCounts(problem, new DistinctFilters(problem), inventory);

    static LongStream seeds() {
        return LongStream.range(0, 20);
    }

    private static AllocationProblem problem() {
        DeviceClass gpu = SampleObjects.deviceClass("gpu", "vendor=one");
        var shape = new ItemShape(
                List.of(
                        ClaimText.spec("r: 1 gpu [model=a] (memory:40Gi); s: 2 gpu"),
                        ClaimText.spec("r: 1 gpu [model=b]")),
                NodeRules.none());
        var valid = (AllocationProblem.Formulation.ValidProblem)
                AllocationProblem.of(shape, Map.of("gpu", gpu), new TextSelectors(), FeatureGates.defaults());
        return valid.problem();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void matchesFullCountsAfterEachChange(long seed) {
        var random = new Random(seed);
        for (int i = 0; i < CHANGES; i++) {
            change(random);
            if (random.nextBoolean()) {
                counts.catchUp(random.nextInt(3));
            }
            if (random.nextInt(3) > 0) {
                for (RequestOption option : problem.options()) {
                    assertThat(counts.passedCounts(option)).as("change %d", i).isEqualTo(expected(option));
                }
            }
        }
    }

    private void change(Random random) {
        String pool = "pool-" + random.nextInt(3);
        String name = pool + "-slice-" + random.nextInt(3);
        ResourceSlice before = inventory
                .slices()
                .pools()
                .getOrDefault(SampleObjects.slice(name, pool, 1, 1, "node").poolId(), none())
                .get(name);
        if (before != null && random.nextInt(4) == 0) {
            inventory.remove(before);
            return;
        }
        List<String> devices = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            devices.add("%s-%d vendor=%s model=%s memory:%dGi"
                    .formatted(
                            name,
                            i,
                            random.nextInt(4) == 0 ? "two" : "one",
                            random.nextBoolean() ? "a" : "b",
                            random.nextInt(2) * 60 + 20));
        }
        inventory.put(
                SampleObjects.slice(name, pool, 1 + random.nextInt(3), 1, "node", devices.toArray(String[]::new)));
    }

    private static SortedMap<String, ResourceSlice> none() {
        return new TreeMap<>();
    }

    private long[] expected(RequestOption option) {
        long[] passed = new long[option.filters().size() + 2];
        for (SortedMap<String, ResourceSlice> pool : inventory.slices().pools().values()) {
            long newest = pool.values().stream()
                    .mapToLong(ResourceSlice::generation)
                    .max()
                    .orElseThrow();
            pool.values().stream().filter(slice -> slice.generation() == newest).forEach(slice -> {
                for (Device device : slice.devices()) {
                    int filters = option.passedFilters(slice.driver(), device);
                    for (int i = 0; i <= filters; i++) {
                        passed[i]++;
                    }
                    if (filters == option.filters().size()
                            && problem.consumption(option, device) instanceof CapacityConsumption.CapacityAmounts) {
                        passed[filters + 1]++;
                    }
                }
            });
        }
        return passed;
    }
}

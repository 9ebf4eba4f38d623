package dev.claimstream.allocation.solver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.sample.Campaign;
import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.CounterConsumption;
import dev.claimstream.dra.CounterSet;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.ResourceSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares best fit with first fit for GPU partitions under random load: best fit allocates more claims. */
class PartitionPackingTest {
    private static final int NODES = 10;
    private static final int GPUS = 4;
    private static final int SLICES = 8;
    private static final int SEEDS = 10 / Campaign.PARTS;
    private static final int ARRIVALS = 1500;
    private static final double TIME = 100;

    /** The MIG profiles of an A100: compute slices, memory slices and possible start positions. */
    private static final List<MigProfile> PROFILES = List.of(
            new MigProfile("1g", 1, 1, List.of(0, 1, 2, 3, 4, 5, 6)),
            new MigProfile("1g-double", 1, 2, List.of(0, 2, 4, 6)),
            new MigProfile("2g", 2, 2, List.of(0, 2, 4)),
            new MigProfile("3g", 3, 4, List.of(0, 4)),
            new MigProfile("4g", 4, 4, List.of(0)),
            new MigProfile("7g", 7, 8, List.of(0)));

    private record MigProfile(String text, int compute, int memory, List<Integer> positions) {
        List<Device> devices(int gpu) {
            List<Device> partitions = new ArrayList<>();
            for (int position : positions) {
                SortedMap<String, Quantity> counters = new TreeMap<>();
                counters.put("compute", Quantity.of(compute));
                for (int slice = position; slice < position + memory; slice++) {
                    counters.put("memory-slice-" + slice, Quantity.of(1));
                }
                SortedMap<String, AttributeValue> attributes = new TreeMap<>();
                attributes.put("profile", new AttributeValue.StringValue(text));
                partitions.add(Device.builder("gpu-%d-%s-%d".formatted(gpu, text, position))
                        .attributes(attributes)
                        .consumesCounters(List.of(new CounterConsumption("gpu-" + gpu, counters, List.of())))
                        .build());
            }
            return partitions;
        }
    }

    private static CounterSet counters(int gpu) {
        SortedMap<String, Quantity> counters = new TreeMap<>();
        counters.put("compute", Quantity.of(7));
        for (int slice = 0; slice < SLICES; slice++) {
            counters.put("memory-slice-" + slice, Quantity.of(1));
        }
        return new CounterSet("gpu-" + gpu, counters);
    }

    private record RunningClaim(double end, String uid, DeviceId device) {}

    /** A cluster of partitionable GPUs under one policy. */
    private static final class PartitionLoad {
        private final DeviceInventory inventory = new DeviceInventory();
        private final AllocationPlanner planner = new AllocationPlanner(inventory, new TextSelectors());
        private final PlacementPolicy policy;

        PartitionLoad(PlacementPolicy policy) {
            this.policy = policy;
            var classes = new TreeMap<String, DeviceClass>();
            for (MigProfile profile : PROFILES) {
                classes.put(profile.text, SampleObjects.deviceClass(profile.text, "profile=" + profile.text));
            }
            planner.setClasses(classes);
            for (int i = 0; i < NODES; i++) {
                String node = "node-%02d".formatted(i);
                inventory.put(SampleObjects.node(node));
                inventory.put(slice(node, "counters", List.of(), sets()));
                for (int gpu = 0; gpu < GPUS; gpu++) {
                    int number = gpu;
                    List<Device> devices = PROFILES.stream()
                            .flatMap(profile -> profile.devices(number).stream())
                            .toList();
                    inventory.put(slice(node, "gpu-" + gpu, devices, List.of()));
                }
            }
        }

        private static List<CounterSet> sets() {
            List<CounterSet> sets = new ArrayList<>();
            for (int gpu = 0; gpu < GPUS; gpu++) {
                sets.add(counters(gpu));
            }
            return sets;
        }

        private static ResourceSlice slice(String node, String name, List<Device> devices, List<CounterSet> sets) {
            return ResourceSlice.builder(ObjectMeta.of("", node + "-" + name, "uid"), SampleObjects.DRIVER, node)
                    .generation(1)
                    .resourceSliceCount(GPUS + 1)
                    .scope(new NodeScope.SingleNode(node))
                    .devices(devices)
                    .sharedCounters(sets)
                    .build();
        }

        /**
         * Simulates claims with exponential arrival and run times. Claims that do not fit are dropped.
         *
         * @param load demand for compute slices relative to the cluster
         * @return allocated claims per mille, after a warm-up
         */
        int measureAllocatedPermille(double load, long seed) {
            var random = new Random(seed);
            double meanCompute = PROFILES.stream()
                    .mapToInt(profile -> profile.compute)
                    .average()
                    .orElseThrow();
            double pause = TIME * meanCompute / (load * NODES * GPUS * 7);
            var running = new PriorityQueue<RunningClaim>((a, b) -> Double.compare(a.end, b.end));
            double now = 0;
            int accepted = 0;
            int counted = 0;
            for (int i = 0; i < ARRIVALS; i++) {
                now -= Math.log(1 - random.nextDouble()) * pause;
                while (!running.isEmpty() && running.peek().end <= now) {
                    RunningClaim finished = running.remove();
                    inventory.removeUsage(finished.device, finished.uid);
                }
                MigProfile profile = PROFILES.get(random.nextInt(PROFILES.size()));
                double end = now - Math.log(1 - random.nextDouble()) * TIME;
                boolean isWarm = i > ARRIVALS / 4;
                counted += isWarm ? 1 : 0;
                String uid = "uid-" + i;
                var shape = new ItemShape(List.of(ClaimText.spec("r: 1 " + profile.text)), NodeRules.none());
                if (planner.plan(shape, new AllocationPlanner.PlanOptions(policy, 100_000, node -> true))
                        instanceof AllocationPlan.Allocated placed) {
                    DeviceResult result =
                            placed.allocations().getFirst().results().getFirst();
                    inventory.addUsage(result, uid, new ObjectKey("default", uid));
                    running.add(new RunningClaim(end, uid, result.device()));
                    accepted += isWarm ? 1 : 0;
                }
            }
            return 1000 * accepted / counted;
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.8, 1.1})
    void bestFitAllocatesMorePartitionsThanFirstFit(double load) {
        long first = 0;
        long best = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            first += new PartitionLoad(PlacementPolicy.FIRST_FIT).measureAllocatedPermille(load, seed);
            best += new PartitionLoad(PlacementPolicy.BEST_FIT).measureAllocatedPermille(load, seed);
        }
        System.out.printf(
                "partitions at load %.1f, %d GPUs, %d seeds: first-fit accepts %.1f %%, best-fit %.1f %%%n",
                load, NODES * GPUS, SEEDS, first / 10.0 / SEEDS, best / 10.0 / SEEDS);
        assertThat(best).isGreaterThan(first);
    }
}

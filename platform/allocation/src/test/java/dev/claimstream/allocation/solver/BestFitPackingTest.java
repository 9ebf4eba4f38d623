package dev.claimstream.allocation.solver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Compares best fit with first fit: after random load, best fit has room for more large claims. */
class BestFitPackingTest {
    private static final int NODES = 12;
    private static final int DEVICES = 8;
    private static final int SEEDS = 100;

    /** A cluster under one policy. Each node has two NUMA nodes with four GPUs each. */
    private static final class PackingLoad {
        private final DeviceInventory inventory = new DeviceInventory();
        private final AllocationPlanner planner = new AllocationPlanner(inventory, new TextSelectors());
        private final PlacementPolicy policy;
        private final Random random;
        private final List<List<DeviceId>> running = new ArrayList<>();
        private int used;
        private int claims;

        PackingLoad(PlacementPolicy policy, long seed) {
            this.policy = policy;
            this.random = new Random(seed);
            var classes = new TreeMap<String, DeviceClass>();
            classes.put("gpu", SampleObjects.deviceClass("gpu"));
            planner.setClasses(classes);
            for (int node = 0; node < NODES; node++) {
                String name = "node-%02d".formatted(node);
                inventory.put(SampleObjects.node(name));
                inventory.put(SampleObjects.slice(
                        name,
                        IntStream.range(0, DEVICES)
                                .mapToObj(i -> "gpu-%d resource.kubernetes.io/numaNode=%d".formatted(i, i / 4))
                                .toArray(String[]::new)));
            }
        }

        /** Allocates and releases claims of 1, 2 and 4 GPUs, and keeps the load near 70 percent. */
        void run() {
            for (int i = 0; i < 360; i++) {
                boolean isFull = used > NODES * DEVICES * 7 / 10;
                if (isFull || (i > 60 && random.nextInt(3) == 0)) {
                    release(running.remove(random.nextInt(running.size())));
                } else {
                    int count = 1 << (random.nextInt(6) < 3 ? 0 : random.nextInt(3));
                    allocate("r: %d gpu".formatted(count));
                }
            }
        }

        boolean allocate(String claim) {
            var shape = new ItemShape(List.of(ClaimText.spec(claim)), NodeRules.none());
            if (!(planner.plan(shape, new AllocationPlanner.PlanOptions(policy, 10_000, node -> true))
                    instanceof AllocationPlan.Allocated placed)) {
                return false;
            }
            List<DeviceId> devices = new ArrayList<>();
            for (Allocation allocation : placed.allocations()) {
                allocation.results().stream().map(DeviceResult::device).forEach(devices::add);
            }
            String uid = "uid-" + claims++;
            devices.forEach(
                    device -> inventory.addUsage(DeviceResult.of("r", device), uid, new ObjectKey("default", uid)));
            running.add(devices);
            used += devices.size();
            return true;
        }

        private void release(List<DeviceId> devices) {
            devices.forEach(device -> inventory
                    .usages()
                    .find(device)
                    .ifPresent(usage -> inventory.removeUsage(
                            device, usage.entries().getFirst().uid())));
            used -= devices.size();
        }

        /** Allocates equal claims until none fits, and returns their number. */
        int countFitting(String claim) {
            int fit = 0;
            while (allocate(claim)) {
                fit++;
            }
            return fit;
        }
    }

    private record PackingResult(int wholeNodes, int halfNodes) {}

    private static PackingResult measure(PlacementPolicy policy, long seed) {
        var load = new PackingLoad(policy, seed);
        load.run();
        int whole = load.countFitting("r: 8 gpu");
        return new PackingResult(whole, load.countFitting("r: 4 gpu; match resource.kubernetes.io/numaNode"));
    }

    @Test
    void bestFitAllocatesMoreLargeClaimsThanFirstFit() {
        int wholeFirst = 0;
        int wholeBest = 0;
        int halfFirst = 0;
        int halfBest = 0;
        System.out.println("seed | whole nodes: first-fit best-fit | then half nodes of one NUMA: first-fit best-fit");
        for (long seed = 0; seed < SEEDS; seed++) {
            PackingResult first = measure(PlacementPolicy.FIRST_FIT, seed);
            PackingResult best = measure(PlacementPolicy.BEST_FIT, seed);
            if (seed < 5) {
                System.out.printf(
                        "%4d | %22d %8d | %38d %8d%n",
                        seed, first.wholeNodes, best.wholeNodes, first.halfNodes, best.halfNodes);
            }
            wholeFirst += first.wholeNodes;
            wholeBest += best.wholeNodes;
            halfFirst += first.halfNodes;
            halfBest += best.halfNodes;
        }
        System.out.printf(" sum | %22d %8d | %38d %8d%n", wholeFirst, wholeBest, halfFirst, halfBest);
        assertThat(wholeBest).isGreaterThanOrEqualTo(wholeFirst);
        assertThat(2 * wholeBest + halfBest).isGreaterThanOrEqualTo(2 * wholeFirst + halfFirst);
    }
}

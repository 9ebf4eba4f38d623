package dev.claimstream.load;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.AllocationPlanner;
import dev.claimstream.allocation.solver.ItemShape;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.selectors.CelSelectors;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Measures the solver alone: one plan that fits and one that does not. The fleet is 70 % full.
 *
 * <p>Claims for 1, 2, 4 and 8 GPUs are created and deleted. The results are medians over rounds; only their ratios are
 * reliable.
 */
public final class SolverFigures {
    private static final long STEPS_MAX = 200_000;
    private static final int ROUNDS = 9;
    private static final int CLAIMS_PER_ROUND = 2_000;
    private static final List<GpuFleet> STANDARD = List.of(
            new GpuFleet(500, 8),
            new GpuFleet(2_500, 64),
            new GpuFleet(1_000, 8),
            new GpuFleet(10_000, 8),
            new GpuFleet(100_000, 8));
    private static final List<Long> COUNTS = List.of(1L, 2L, 1L, 4L, 1L, 8L);

    private final GpuFleet fleet;
    private final DeviceInventory inventory = new DeviceInventory();
    private final AllocationPlanner planner = new AllocationPlanner(inventory, new CelSelectors());
    private final Deque<AllocatedClaim> allocated = new ArrayDeque<>();
    private long devicesAllocated;
    private long sequence;

    private SolverFigures(GpuFleet fleet) {
        this.fleet = fleet;
    }

    private record AllocatedClaim(String uid, Allocation allocation) {}

    /** Prints the table. */
    public static void main(String[] args) {
        System.out.printf(
                Locale.ROOT,
                "%-22s %12s %12s %12s %14s %14s%n",
                "nodes x devices",
                "fit µs",
                "no fit µs",
                "first µs",
                "heap B/device",
                "devices");
        List<GpuFleet> fleets = args.length == 0
                ? STANDARD
                : Arrays.stream(args).map(GpuFleet::parse).toList();
        fleets.forEach(fleet -> new SolverFigures(fleet).print());
    }

    private void print() {
        long before = usedHeap();
        for (int node = 0; node < fleet.nodes(); node++) {
            inventory.put(fleet.node(node));
            fleet.slices(node).forEach(inventory::put);
        }
        planner.setClasses(GpuClaims.classes());
        long first = time(() -> plan(GpuClaims.gpus(1, "40Gi")));
        long heap = (usedHeap() - before) / ((long) fleet.nodes() * fleet.devices());
        fill();
        double fit = median(this::fit);
        ItemShape tooBig = GpuClaims.gpus(
                fleet.devices() + 1L > 32 ? 32 : fleet.devices() + 1L, fleet.devices() > 32 ? "96Gi" : "40Gi");
        double noFit = median(() -> noFit(tooBig));
        System.out.printf(
                Locale.ROOT,
                "%-22s %12.1f %12.1f %12.1f %14d %14d%n",
                fleet.nodes() + " x " + fleet.devices(),
                fit,
                noFit,
                first / 1000.0,
                heap,
                (long) fleet.nodes() * fleet.devices());
    }

    private void fill() {
        while (devicesAllocated < 0.7 * fleet.nodes() * fleet.devices()) {
            allocateClaim();
        }
    }

    /** @return nanoseconds of the plans alone */
    private long fit() {
        long sum = 0;
        for (int i = 0; i < CLAIMS_PER_ROUND; i++) {
            sum += time(this::allocateClaim);
            while (devicesAllocated > 0.7 * fleet.nodes() * fleet.devices()) {
                release();
            }
        }
        return sum;
    }

    /** Changes the fleet between two plans, so that no plan is answered from caches alone. */
    private long noFit(ItemShape tooBig) {
        long sum = 0;
        for (int i = 0; i < CLAIMS_PER_ROUND; i++) {
            cycleClaim();
            sum += time(() -> expectNone(plan(tooBig)));
        }
        return sum;
    }

    private void cycleClaim() {
        allocateClaim();
        while (devicesAllocated > 0.7 * fleet.nodes() * fleet.devices()) {
            release();
        }
    }

    private void allocateClaim() {
        long count = COUNTS.get((int) (sequence % COUNTS.size()));
        String uid = "claim-" + sequence++;
        if (plan(GpuClaims.gpus(count, "40Gi")) instanceof AllocationPlan.Allocated placed) {
            Allocation allocation = placed.allocations().getFirst();
            for (DeviceResult result : allocation.results()) {
                inventory.addUsage(result, uid, new ObjectKey("load", uid));
            }
            devicesAllocated += allocation.results().size();
            allocated.add(new AllocatedClaim(uid, allocation));
        } else {
            throw new IllegalStateException("a fleet that is 70 % full has room for " + count);
        }
    }

    private void release() {
        AllocatedClaim oldest = allocated.remove();
        for (DeviceResult result : oldest.allocation.results()) {
            inventory.removeUsage(result.device(), oldest.uid);
        }
        devicesAllocated -= oldest.allocation.results().size();
    }

    private AllocationPlan plan(ItemShape shape) {
        return planner.plan(
                shape, new AllocationPlanner.PlanOptions(PlacementPolicy.BEST_FIT, STEPS_MAX, node -> true));
    }

    private static void expectNone(AllocationPlan plan) {
        if (plan instanceof AllocationPlan.Allocated) {
            throw new IllegalStateException("this fits nowhere");
        }
    }

    private static double median(LongSupplier round) {
        double[] micros = new double[ROUNDS];
        var unused = round.getAsLong();
        for (int i = 0; i < ROUNDS; i++) {
            micros[i] = round.getAsLong() / 1000.0 / CLAIMS_PER_ROUND;
        }
        Arrays.sort(micros);
        return micros[ROUNDS / 2];
    }

    private static long time(Runnable work) {
        long start = System.nanoTime();
        work.run();
        return System.nanoTime() - start;
    }

    private static long usedHeap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}

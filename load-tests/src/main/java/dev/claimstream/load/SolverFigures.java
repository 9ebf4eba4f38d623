package dev.claimstream.load;

import dev.claimstream.allocation.inventory.Inventory;
import dev.claimstream.allocation.solver.ItemShape;
import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.allocation.solver.Planner;
import dev.claimstream.allocation.solver.Policy;
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
 * Measures the solver alone: one plan that fits and one that does not, on a fleet that is 70 % full.
 *
 * <p>Claims for 1, 2, 4 and 8 GPUs are created and deleted. The results are medians over rounds; only their ratios are reliable.
 */
public final class SolverFigures {
    private static final long STEPS_MAX = 200_000;
    private static final int ROUNDS = 9;
    private static final int CLAIMS_PER_ROUND = 2_000;
    private static final List<Fleet> STANDARD = List.of(
            new Fleet(500, 8), new Fleet(2_500, 64), new Fleet(1_000, 8), new Fleet(10_000, 8), new Fleet(100_000, 8));
    private static final List<Long> COUNTS = List.of(1L, 2L, 1L, 4L, 1L, 8L);

    private final Fleet fleet;
    private final Inventory inventory = new Inventory();
    private final Planner planner = new Planner(inventory, new CelSelectors());
    private final Deque<Held> held = new ArrayDeque<>();
    private long devicesHeld;
    private long sequence;

    private SolverFigures(Fleet fleet) {
        this.fleet = fleet;
    }

    private record Held(String uid, Allocation allocation) {}

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
        List<Fleet> fleets = args.length == 0
                ? STANDARD
                : Arrays.stream(args).map(Fleet::parse).toList();
        fleets.forEach(fleet -> new SolverFigures(fleet).print());
    }

    private void print() {
        long before = usedHeap();
        for (int node = 0; node < fleet.nodes(); node++) {
            inventory.put(fleet.node(node));
            fleet.slices(node).forEach(inventory::put);
        }
        planner.setClasses(Claims.classes());
        long first = time(() -> plan(Claims.gpus(1, "40Gi")));
        long heap = (usedHeap() - before) / ((long) fleet.nodes() * fleet.devices());
        fill();
        double fit = median(this::fit);
        ItemShape tooBig = Claims.gpus(
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
        while (devicesHeld < 0.7 * fleet.nodes() * fleet.devices()) {
            take();
        }
    }

    /** @return nanoseconds of the plans alone */
    private long fit() {
        long sum = 0;
        for (int i = 0; i < CLAIMS_PER_ROUND; i++) {
            sum += time(this::take);
            while (devicesHeld > 0.7 * fleet.nodes() * fleet.devices()) {
                release();
            }
        }
        return sum;
    }

    /** Changes the fleet between two plans, so that no plan is answered from caches alone. */
    private long noFit(ItemShape tooBig) {
        long sum = 0;
        for (int i = 0; i < CLAIMS_PER_ROUND; i++) {
            comeAndGoOnce();
            sum += time(() -> expectNone(plan(tooBig)));
        }
        return sum;
    }

    private void comeAndGoOnce() {
        take();
        while (devicesHeld > 0.7 * fleet.nodes() * fleet.devices()) {
            release();
        }
    }

    private void take() {
        long count = COUNTS.get((int) (sequence % COUNTS.size()));
        String uid = "claim-" + sequence++;
        if (plan(Claims.gpus(count, "40Gi")) instanceof Plan.Placed placed) {
            Allocation allocation = placed.allocations().getFirst();
            for (DeviceResult result : allocation.results()) {
                inventory.hold(result, uid, new ObjectKey("load", uid));
            }
            devicesHeld += allocation.results().size();
            held.add(new Held(uid, allocation));
        } else {
            throw new IllegalStateException("a fleet that is 70 % full has room for " + count);
        }
    }

    private void release() {
        Held oldest = held.remove();
        for (DeviceResult result : oldest.allocation.results()) {
            inventory.release(result.device(), oldest.uid);
        }
        devicesHeld -= oldest.allocation.results().size();
    }

    private Plan plan(ItemShape shape) {
        return planner.plan(shape, new Planner.Terms(Policy.BEST_FIT, STEPS_MAX, node -> true));
    }

    private static void expectNone(Plan plan) {
        if (plan instanceof Plan.Placed) {
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

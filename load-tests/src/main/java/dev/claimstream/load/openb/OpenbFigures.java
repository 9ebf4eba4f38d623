package dev.claimstream.load.openb;

import dev.claimstream.allocation.solver.PlacementPolicy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Measures the allocated share of the GPUs of the public trace "openb" after 130 % of them were requested.
 *
 * <p>Pods arrive in random order, then further pods drawn from the same list; no pod ends. Published results for the
 * default list (Beware of Fragmentation, USENIX ATC 2023, ten seeds): Random 87.47, BestFit 93.08, FGD 95.39 %.
 */
public final class OpenbFigures {
    private static final double DEMAND = 1.3;

    private OpenbFigures() {}

    /**
     * Prints the table.
     *
     * @param args the table of nodes, the table of pods, the policy, and the number of seeds
     */
    public static void main(String[] args) throws IOException {
        Trace trace = Trace.read(Path.of(args[0]), Path.of(args[1]));
        PlacementPolicy policy =
                args[2].equals(PlacementPolicy.FIRST_FIT.text()) ? PlacementPolicy.FIRST_FIT : PlacementPolicy.BEST_FIT;
        System.out.printf(
                Locale.ROOT,
                "%d nodes, %d GPUs, %d pods, %s%n%-6s %10s %10s %10s %14s%n",
                trace.hosts().size(),
                trace.gpus(),
                trace.tasks().size(),
                policy.text(),
                "seed",
                "GPUs %",
                "pods",
                "rejected",
                "µs per pod");
        var ratios = new DoubleSummaryStatistics();
        for (long seed = 0; seed < Long.parseLong(args[3]); seed++) {
            ratios.accept(replay(trace, policy, seed));
        }
        System.out.printf(
                Locale.ROOT, "mean %.2f, from %.2f to %.2f%n", ratios.getAverage(), ratios.getMin(), ratios.getMax());
    }

    private static double replay(Trace trace, PlacementPolicy policy, long seed) {
        List<Trace.TracePod> coming = inflated(trace, seed);
        var replay = new TraceReplay(trace, policy);
        long given = 0;
        int refused = 0;
        long start = System.nanoTime();
        for (Trace.TracePod task : coming) {
            if (replay.place(task)) {
                given += task.demandMilli();
            } else {
                refused++;
            }
        }
        long micros = (System.nanoTime() - start) / 1000;
        double ratio = given / 10.0 / trace.gpus();
        System.out.printf(
                Locale.ROOT,
                "%-6d %10.2f %10d %10d %14d%n",
                seed,
                ratio,
                coming.size(),
                refused,
                micros / coming.size());
        return ratio;
    }

    /** Returns the pods in random order, with further ones until the demand is reached. */
    private static List<Trace.TracePod> inflated(Trace trace, long seed) {
        var random = new Random(seed);
        List<Trace.TracePod> shuffled = new ArrayList<>(trace.tasks());
        Collections.shuffle(shuffled, random);
        List<Trace.TracePod> coming = new ArrayList<>();
        long asked = 0;
        for (int i = 0; asked < DEMAND * 1000 * trace.gpus(); i++) {
            Trace.TracePod next = i < shuffled.size()
                    ? shuffled.get(i)
                    : trace.tasks().get(random.nextInt(trace.tasks().size()));
            coming.add(next);
            asked += next.demandMilli();
        }
        return coming;
    }
}

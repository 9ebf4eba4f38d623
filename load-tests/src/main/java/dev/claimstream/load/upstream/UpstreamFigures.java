package dev.claimstream.load.upstream;

import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.load.GpuClaims;
import dev.claimstream.load.GpuFleet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures upstream's allocator and Claimstream's solver on the same clusters and claims: medians over rounds, warm.
 *
 * <p>Upstream creates an allocator and tries nodes up to the first that fits, which is the minimum that kube-scheduler
 * does. Claimstream decides over all nodes.
 */
public final class UpstreamFigures {
    /** The default time limit of kube-scheduler per node. */
    private static final long TIMEOUT_MILLIS = 10_000;

    private static final int WARM = 300;
    private static final int ROUNDS = 101;

    /** @param upstreamRounds number of rounds; small if a round takes long */
    private record BenchmarkCase(int upstreamRounds, Supplier<BenchmarkCluster> setting) {}

    private static final List<BenchmarkCase> ROWS = List.of(
            new BenchmarkCase(
                    51,
                    () -> BenchmarkClusters.fleet("500 x 8, 1 GPU", new GpuFleet(500, 8), GpuClaims.spec(1, "40Gi"))),
            new BenchmarkCase(
                    51,
                    () -> BenchmarkClusters.fleet(
                            "500 x 8, fits nowhere", new GpuFleet(500, 8), GpuClaims.spec(1, "96Gi"))),
            new BenchmarkCase(
                    21,
                    () -> BenchmarkClusters.fleet(
                            "2500 x 64, 1 GPU", new GpuFleet(2_500, 64), GpuClaims.spec(1, "40Gi"))),
            new BenchmarkCase(
                    3,
                    () -> BenchmarkClusters.fleet(
                            "2500 x 64, fits nowhere", new GpuFleet(2_500, 64), GpuClaims.spec(1, "96Gi"))),
            new BenchmarkCase(21, () -> BenchmarkClusters.groups("1 x 64, 8 of a group of 11", 1, 11, 8)),
            new BenchmarkCase(5, () -> BenchmarkClusters.groups("1 x 64, 8 of a group of 7", 1, 7, 8)),
            new BenchmarkCase(1, () -> BenchmarkClusters.groups("1 x 64, 16 of a group of 15", 1, 15, 16)),
            new BenchmarkCase(
                    11, () -> BenchmarkClusters.partitions("100 x 4 x 14 partitions 90 % full, 1g", 100, "1g")),
            new BenchmarkCase(
                    11, () -> BenchmarkClusters.partitions("100 x 4 x 14 partitions 90 % full, 3g", 100, "3g")),
            new BenchmarkCase(
                    5, () -> BenchmarkClusters.partitions("500 x 4 x 14 partitions 90 % full, 3g", 500, "3g")),
            new BenchmarkCase(3, () -> BenchmarkClusters.oneShort(16)),
            new BenchmarkCase(1, () -> BenchmarkClusters.oneShort(20)),
            new BenchmarkCase(1, () -> BenchmarkClusters.oneShort(24)),
            new BenchmarkCase(1, () -> BenchmarkClusters.oneShort(32)));

    private UpstreamFigures() {}

    /**
     * Prints the table.
     *
     * @param args the program {@code upstream}
     */
    public static void main(String[] args) {
        System.out.printf(
                Locale.ROOT,
                "%-30s %-10s %12s %12s %7s %12s %12s %10s%n",
                "",
                "",
                "upstream",
                "",
                "nodes",
                "first-fit",
                "best-fit",
                "upstream /");
        System.out.printf(
                Locale.ROOT,
                "%-30s %-10s %12s %12s %7s %12s %12s %10s%n",
                "nodes x devices, claim",
                "answer",
                "make µs",
                "allocate µs",
                "asked",
                "µs",
                "µs",
                "first-fit");
        for (BenchmarkCase row : ROWS) {
            print(args[0], row);
        }
    }

    private static void print(String program, BenchmarkCase row) {
        BenchmarkCluster setting = row.setting.get();
        String answer = ask(program, setting.upstreamRequest(row.upstreamRounds, TIMEOUT_MILLIS));
        double make = number(answer, "newAllocatorMicros");
        double allocate = number(answer, "allocateMicros");
        boolean isUndecided = number(answer, "undecided") > 0;
        boolean fits = isPlaced(setting.plan(PlacementPolicy.FIRST_FIT));
        boolean agrees = isUndecided || fits == answer.contains("\"fits\":true");
        double first = median(setting, PlacementPolicy.FIRST_FIT);
        double best = median(setting, PlacementPolicy.BEST_FIT);
        System.out.printf(
                Locale.ROOT,
                "%-30s %-10s %12.1f %12.1f %7.0f %12.1f %12.1f %10s%n",
                setting.name(),
                (fits ? "fits" : "no") + (agrees ? "" : " (!)"),
                make,
                allocate,
                number(answer, "nodes"),
                first,
                best,
                (isUndecided ? "> " : "") + "%.1f".formatted((make + allocate) / first));
    }

    private static double median(BenchmarkCluster setting, PlacementPolicy policy) {
        double[] micros = new double[ROUNDS];
        for (int i = -WARM; i < ROUNDS; i++) {
            setting.changeState();
            long start = System.nanoTime();
            AllocationPlan unused = setting.plan(policy);
            long end = System.nanoTime();
            if (i >= 0) {
                micros[i] = (end - start) / 1000.0;
            }
        }
        Arrays.sort(micros);
        return micros[ROUNDS / 2];
    }

    private static boolean isPlaced(AllocationPlan plan) {
        return plan instanceof AllocationPlan.Allocated;
    }

    private static String ask(String program, String question) {
        try {
            Process upstream = new ProcessBuilder(program, "measure")
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try (var questions = upstream.outputWriter(StandardCharsets.UTF_8)) {
                questions.write(question);
                questions.write('\n');
            }
            String answer = new String(upstream.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (answer.contains("\"error\"")) {
                throw new IllegalStateException("upstream answered " + answer);
            }
            return answer;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static double number(String answer, String field) {
        Matcher found = Pattern.compile("\"" + field + "\":([0-9.e+-]+)").matcher(answer);
        if (!found.find()) {
            throw new IllegalStateException("no %s in %s".formatted(field, answer));
        }
        return Double.parseDouble(found.group(1));
    }
}

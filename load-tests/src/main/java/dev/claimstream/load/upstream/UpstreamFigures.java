package dev.claimstream.load.upstream;

import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.allocation.solver.Policy;
import dev.claimstream.load.Claims;
import dev.claimstream.load.Fleet;
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
 * <p>Upstream creates an allocator and tries nodes up to the first that fits, which is the minimum that kube-scheduler does. Claimstream
 * decides over all nodes.
 */
public final class UpstreamFigures {
    /** The default time limit of kube-scheduler per node. */
    private static final long TIMEOUT_MILLIS = 10_000;

    private static final int WARM = 300;
    private static final int ROUNDS = 101;

    /** @param upstreamRounds number of rounds; small if a round takes long */
    private record Row(int upstreamRounds, Supplier<Setting> setting) {}

    private static final List<Row> ROWS = List.of(
            new Row(51, () -> Settings.fleet("500 x 8, 1 GPU", new Fleet(500, 8), Claims.spec(1, "40Gi"))),
            new Row(51, () -> Settings.fleet("500 x 8, fits nowhere", new Fleet(500, 8), Claims.spec(1, "96Gi"))),
            new Row(21, () -> Settings.fleet("2500 x 64, 1 GPU", new Fleet(2_500, 64), Claims.spec(1, "40Gi"))),
            new Row(3, () -> Settings.fleet("2500 x 64, fits nowhere", new Fleet(2_500, 64), Claims.spec(1, "96Gi"))),
            new Row(21, () -> Settings.groups("1 x 64, 8 of a group of 11", 1, 11, 8)),
            new Row(5, () -> Settings.groups("1 x 64, 8 of a group of 7", 1, 7, 8)),
            new Row(1, () -> Settings.groups("1 x 64, 16 of a group of 15", 1, 15, 16)),
            new Row(11, () -> Settings.partitions("100 x 4 x 14 partitions 90 % full, 1g", 100, "1g")),
            new Row(11, () -> Settings.partitions("100 x 4 x 14 partitions 90 % full, 3g", 100, "3g")),
            new Row(5, () -> Settings.partitions("500 x 4 x 14 partitions 90 % full, 3g", 500, "3g")),
            new Row(3, () -> Settings.oneShort(16)),
            new Row(1, () -> Settings.oneShort(20)),
            new Row(1, () -> Settings.oneShort(24)),
            new Row(1, () -> Settings.oneShort(32)));

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
        for (Row row : ROWS) {
            print(args[0], row);
        }
    }

    private static void print(String program, Row row) {
        Setting setting = row.setting.get();
        String answer = ask(program, setting.question(row.upstreamRounds, TIMEOUT_MILLIS));
        double make = number(answer, "newAllocatorMicros");
        double allocate = number(answer, "allocateMicros");
        boolean isUndecided = number(answer, "undecided") > 0;
        boolean fits = isPlaced(setting.plan(Policy.FIRST_FIT));
        boolean agrees = isUndecided || fits == answer.contains("\"fits\":true");
        double first = median(setting, Policy.FIRST_FIT);
        double best = median(setting, Policy.BEST_FIT);
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

    private static double median(Setting setting, Policy policy) {
        double[] micros = new double[ROUNDS];
        for (int i = -WARM; i < ROUNDS; i++) {
            setting.stir();
            long start = System.nanoTime();
            Plan unused = setting.plan(policy);
            long end = System.nanoTime();
            if (i >= 0) {
                micros[i] = (end - start) / 1000.0;
            }
        }
        Arrays.sort(micros);
        return micros[ROUNDS / 2];
    }

    private static boolean isPlaced(Plan plan) {
        return plan instanceof Plan.Placed;
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

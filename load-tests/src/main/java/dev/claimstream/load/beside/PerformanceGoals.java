package dev.claimstream.load.beside;

import dev.claimstream.kubernetes.controlplane.ControlPlaneComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The performance goals of Claimstream and their results. Only runs of the same row are compared: they ran directly
 * after each other.
 */
final class PerformanceGoals {
    private static final List<Ratio> RATIOS = List.of(
            new Ratio("plain claims, default gates", ComparisonRow.PLAIN_DEFAULT, MeasuredAllocator.KUBE_SCHEDULER, 1),
            new Ratio("plain claims, every gate", ComparisonRow.PLAIN_ALL, MeasuredAllocator.KUBE_SCHEDULER, 1.1),
            new Ratio("plain claims, default gates", ComparisonRow.PLAIN_DEFAULT, MeasuredAllocator.NEXT_FREE, 0.9),
            new Ratio("plain claims, every gate", ComparisonRow.PLAIN_ALL, MeasuredAllocator.NEXT_FREE, 0.9),
            new Ratio("matchAttribute", ComparisonRow.PAIRS, MeasuredAllocator.KUBE_SCHEDULER, 1.8),
            new Ratio("partitions, 100 nodes", ComparisonRow.PARTITIONS_100, MeasuredAllocator.KUBE_SCHEDULER, 15),
            new Ratio("partitions, 500 nodes", ComparisonRow.PARTITIONS_500, MeasuredAllocator.KUBE_SCHEDULER, 100));
    private static final double P50_MILLIS = 35;
    private static final double P99_MILLIS = 200;
    private static final double PERCENT = 100;

    private final List<ComparisonRun> runs;

    private PerformanceGoals(List<ComparisonRun> runs) {
        this.runs = runs;
    }

    /** @param ratioMin the required factor of pods per second */
    private record Ratio(String about, String row, MeasuredAllocator baseline, double ratioMin) {}

    /** Returns a line for each goal, and lines for values without a goal. */
    static List<String> lines(List<ComparisonRun> runs) {
        var goals = new PerformanceGoals(runs);
        List<String> lines = new ArrayList<>();
        RATIOS.forEach(each -> lines.add(goals.line(each)));
        lines.add(goals.atRate("p50", P50_MILLIS));
        lines.add(goals.atRate("p99", P99_MILLIS));
        lines.add(goals.safety());
        lines.addAll(goals.summaries());
        return lines;
    }

    private String line(Ratio goal) {
        String about = "%s: pods/s beside %s".formatted(goal.about, goal.baseline);
        Optional<RunMeasurement> claimstream = of(goal.row, MeasuredAllocator.CLAIMSTREAM);
        Optional<RunMeasurement> baseline = of(goal.row, goal.baseline);
        if (claimstream.isEmpty() || baseline.isEmpty() || baseline.get().podsPerSecond() == 0) {
            return notMeasured(about, goal.row);
        }
        double ratio = claimstream.get().podsPerSecond() / baseline.get().podsPerSecond();
        boolean isReached = ratio >= goal.ratioMin && !claimstream.get().isTimedOut();
        String text = "%s x, wanted %s x: %s"
                .formatted(number(ratio), number(goal.ratioMin), byHowMuch(ratio, goal.ratioMin))
                .concat(cut(goal.baseline.text(), baseline.get()))
                .concat(cut("claimstream", claimstream.get()))
                .concat(share(goal, claimstream.get(), baseline.get()));
        return result(isReached, about, goal.row, text);
    }

    private static String cut(String who, RunMeasurement measured) {
        return measured.isTimedOut()
                ? "; %s was cut at %d of %d pods".formatted(who, measured.bound(), measured.pods())
                : "";
    }

    /** Returns the API server's share of the machine: it is the limit for allocators that do little themselves. */
    private static String share(Ratio goal, RunMeasurement claimstream, RunMeasurement baseline) {
        return goal.baseline == MeasuredAllocator.NEXT_FREE
                ? "; the API server takes %.0f %% of the machine, with next-free %.0f %%"
                        .formatted(PERCENT * claimstream.apiShare(), PERCENT * baseline.apiShare())
                : "";
    }

    private String atRate(String which, double most) {
        String about = "30 pods a second: %s".formatted(which);
        Optional<RunMeasurement> claimstream = of(ComparisonRow.RATE, MeasuredAllocator.CLAIMSTREAM);
        if (claimstream.isEmpty()) {
            return notMeasured(about, ComparisonRow.RATE);
        }
        double millis = "p50".equals(which)
                ? claimstream.get().p50Millis()
                : claimstream.get().p99Millis();
        String kubeScheduler = of(ComparisonRow.RATE, MeasuredAllocator.KUBE_SCHEDULER)
                .map(it -> " (kube-scheduler %.0f ms)".formatted("p50".equals(which) ? it.p50Millis() : it.p99Millis()))
                .orElse("");
        String text = "%.0f ms%s, wanted at most %.0f ms: %s"
                .formatted(millis, kubeScheduler, most, byHowMuch(millis, most))
                .concat(cut("claimstream", claimstream.get()));
        return result(millis <= most && !claimstream.get().isTimedOut(), about, ComparisonRow.RATE, text);
    }

    /** Checks all runs, including other rows, for wrong allocations. */
    private String safety() {
        String about = "nothing is allocated twice, no pod is bound that fits nowhere";
        List<RunMeasurement> claimstream = runs.stream()
                .filter(run -> run.allocator() == MeasuredAllocator.CLAIMSTREAM)
                .flatMap(run -> run.measured().stream())
                .toList();
        long faults = claimstream.stream()
                .mapToLong(each -> each.faults() + each.wronglyBound())
                .sum();
        if (claimstream.isEmpty()) {
            return "  %-8s %s".formatted("-", about + ": not measured");
        }
        return "  %-8s %s: %d faults in %d runs of claimstream"
                .formatted(faults == 0 ? "reached" : "MISSED", about, faults, claimstream.size());
    }

    private List<String> summaries() {
        List<String> lines = new ArrayList<>();
        for (ComparisonRun run : runs) {
            Optional<RunMeasurement> claimstream = of(run.row(), MeasuredAllocator.CLAIMSTREAM);
            if (run.allocator() == MeasuredAllocator.KUBE_SCHEDULER
                    && run.measured().isPresent()
                    && claimstream.isPresent()) {
                lines.add(summaries(run, run.measured().get(), claimstream.get()));
            }
        }
        return lines;
    }

    private static String summaries(ComparisonRun run, RunMeasurement kubeScheduler, RunMeasurement claimstream) {
        double all = claimstream.allocatorMillis(MeasuredAllocator.CLAIMSTREAM);
        return String.format(
                Locale.ROOT,
                "  %-8s %s: %s x as many pods/s as kube-scheduler; claimstream takes %.1f ms of CPU a pod, %.1f without its broker; the scheduler takes %.1f ms less (%.1f instead of %.1f)",
                "info",
                run.row(),
                kubeScheduler.podsPerSecond() == 0
                        ? "-"
                        : number(claimstream.podsPerSecond() / kubeScheduler.podsPerSecond()),
                all,
                all - claimstream.brokerMillis(MeasuredAllocator.CLAIMSTREAM),
                kubeScheduler.millis(ControlPlaneComponent.SCHEDULER)
                        - claimstream.millis(ControlPlaneComponent.SCHEDULER),
                claimstream.millis(ControlPlaneComponent.SCHEDULER),
                kubeScheduler.millis(ControlPlaneComponent.SCHEDULER));
    }

    private Optional<RunMeasurement> of(String row, MeasuredAllocator who) {
        return find(row, who).flatMap(ComparisonRun::measured);
    }

    private Optional<ComparisonRun> find(String row, MeasuredAllocator who) {
        return runs.stream()
                .filter(run -> run.row().equals(row) && run.allocator() == who)
                .findFirst();
    }

    private static String notMeasured(String about, String row) {
        return "  %-8s %s: not measured (--rows %s)".formatted("-", about, row);
    }

    private String result(boolean isReached, String about, String row, String text) {
        boolean isMeant = find(row, MeasuredAllocator.CLAIMSTREAM)
                .map(ComparisonRun::isGoalConfiguration)
                .orElse(false);
        return "  %-8s %s: %s%s"
                .formatted(
                        isReached ? "reached" : "MISSED",
                        about,
                        text,
                        isMeant ? "" : " (at other sizes than the goal is meant for)");
    }

    private static String byHowMuch(double is, double wanted) {
        double percent = PERCENT * (is / wanted - 1);
        return String.format(Locale.ROOT, "%s%,.0f %%", percent < 0 ? "" : "+", percent);
    }

    private static String number(double ratio) {
        return String.format(Locale.ROOT, ratio < 10 ? "%.2f" : "%,.0f", ratio);
    }
}

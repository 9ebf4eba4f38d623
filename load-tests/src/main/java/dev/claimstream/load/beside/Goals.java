package dev.claimstream.load.beside;

import dev.claimstream.kubernetes.controlplane.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The performance goals of Claimstream and their results. Only runs of the same row are compared: they ran directly after each other. */
final class Goals {
    private static final List<Ratio> RATIOS = List.of(
            new Ratio("plain claims, default gates", Row.PLAIN_DEFAULT, Who.STOCK, 1),
            new Ratio("plain claims, every gate", Row.PLAIN_ALL, Who.STOCK, 1.1),
            new Ratio("plain claims, default gates", Row.PLAIN_DEFAULT, Who.NEXT_FREE, 0.9),
            new Ratio("plain claims, every gate", Row.PLAIN_ALL, Who.NEXT_FREE, 0.9),
            new Ratio("matchAttribute", Row.PAIRS, Who.STOCK, 1.8),
            new Ratio("partitions, 100 nodes", Row.PARTITIONS_100, Who.STOCK, 15),
            new Ratio("partitions, 500 nodes", Row.PARTITIONS_500, Who.STOCK, 100));
    private static final double P50_MILLIS = 35;
    private static final double P99_MILLIS = 200;
    private static final double PERCENT = 100;

    private final List<Run> runs;

    private Goals(List<Run> runs) {
        this.runs = runs;
    }

    /** @param least the required factor of pods per second */
    private record Ratio(String about, String row, Who beside, double least) {}

    /** Returns a line for each goal, and lines for values without a goal. */
    static List<String> lines(List<Run> runs) {
        var goals = new Goals(runs);
        List<String> lines = new ArrayList<>();
        RATIOS.forEach(each -> lines.add(goals.line(each)));
        lines.add(goals.atRate("p50", P50_MILLIS));
        lines.add(goals.atRate("p99", P99_MILLIS));
        lines.add(goals.safe());
        lines.addAll(goals.told());
        return lines;
    }

    private String line(Ratio goal) {
        String about = "%s: pods/s beside %s".formatted(goal.about, goal.beside);
        Optional<Measured> ours = of(goal.row, Who.CLAIMSTREAM);
        Optional<Measured> theirs = of(goal.row, goal.beside);
        if (ours.isEmpty() || theirs.isEmpty() || theirs.get().podsPerSecond() == 0) {
            return notMeasured(about, goal.row);
        }
        double ratio = ours.get().podsPerSecond() / theirs.get().podsPerSecond();
        boolean isReached = ratio >= goal.least && !ours.get().isCut();
        String text = "%s x, wanted %s x: %s"
                .formatted(number(ratio), number(goal.least), byHowMuch(ratio, goal.least))
                .concat(cut(goal.beside.text(), theirs.get()))
                .concat(cut("claimstream", ours.get()))
                .concat(share(goal, ours.get(), theirs.get()));
        return said(isReached, about, goal.row, text);
    }

    private static String cut(String who, Measured measured) {
        return measured.isCut()
                ? "; %s was cut at %d of %d pods".formatted(who, measured.bound(), measured.pods())
                : "";
    }

    /** Returns the API server's share of the machine: it is the limit for allocators that do little themselves. */
    private static String share(Ratio goal, Measured ours, Measured theirs) {
        return goal.beside == Who.NEXT_FREE
                ? "; the API server takes %.0f %% of the machine, with next-free %.0f %%"
                        .formatted(PERCENT * ours.apiShare(), PERCENT * theirs.apiShare())
                : "";
    }

    private String atRate(String which, double most) {
        String about = "30 pods a second: %s".formatted(which);
        Optional<Measured> ours = of(Row.RATE, Who.CLAIMSTREAM);
        if (ours.isEmpty()) {
            return notMeasured(about, Row.RATE);
        }
        double millis =
                "p50".equals(which) ? ours.get().p50Millis() : ours.get().p99Millis();
        String stock = of(Row.RATE, Who.STOCK)
                .map(it -> " (stock %.0f ms)".formatted("p50".equals(which) ? it.p50Millis() : it.p99Millis()))
                .orElse("");
        String text = "%.0f ms%s, wanted at most %.0f ms: %s"
                .formatted(millis, stock, most, byHowMuch(millis, most))
                .concat(cut("claimstream", ours.get()));
        return said(millis <= most && !ours.get().isCut(), about, Row.RATE, text);
    }

    /** Checks all runs, including other rows, for wrong allocations. */
    private String safe() {
        String about = "nothing is given out twice, nothing is bound that fits nowhere";
        List<Measured> ours = runs.stream()
                .filter(run -> run.who() == Who.CLAIMSTREAM)
                .flatMap(run -> run.measured().stream())
                .toList();
        long faults =
                ours.stream().mapToLong(each -> each.faults() + each.wrong()).sum();
        if (ours.isEmpty()) {
            return "  %-8s %s".formatted("-", about + ": not measured");
        }
        return "  %-8s %s: %d faults in %d runs of claimstream"
                .formatted(faults == 0 ? "reached" : "MISSED", about, faults, ours.size());
    }

    private List<String> told() {
        List<String> lines = new ArrayList<>();
        for (Run run : runs) {
            Optional<Measured> ours = of(run.row(), Who.CLAIMSTREAM);
            if (run.who() == Who.STOCK && run.measured().isPresent() && ours.isPresent()) {
                lines.add(told(run, run.measured().get(), ours.get()));
            }
        }
        return lines;
    }

    private static String told(Run run, Measured stock, Measured ours) {
        double all = ours.allocatorMillis(Who.CLAIMSTREAM);
        return String.format(
                Locale.ROOT,
                "  %-8s %s: %s x as many pods/s as stock; our process takes %.1f ms of CPU a pod, %.1f without its broker; the scheduler is spared %.1f ms (%.1f instead of %.1f)",
                "told",
                run.row(),
                stock.podsPerSecond() == 0 ? "-" : number(ours.podsPerSecond() / stock.podsPerSecond()),
                all,
                all - ours.brokerMillis(Who.CLAIMSTREAM),
                stock.millis(Part.SCHEDULER) - ours.millis(Part.SCHEDULER),
                ours.millis(Part.SCHEDULER),
                stock.millis(Part.SCHEDULER));
    }

    private Optional<Measured> of(String row, Who who) {
        return find(row, who).flatMap(Run::measured);
    }

    private Optional<Run> find(String row, Who who) {
        return runs.stream()
                .filter(run -> run.row().equals(row) && run.who() == who)
                .findFirst();
    }

    private static String notMeasured(String about, String row) {
        return "  %-8s %s: not measured (--rows %s)".formatted("-", about, row);
    }

    private String said(boolean isReached, String about, String row, String text) {
        boolean isMeant = find(row, Who.CLAIMSTREAM).map(Run::isOfGoals).orElse(false);
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

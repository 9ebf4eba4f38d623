package dev.claimstream.load.beside;

import dev.claimstream.kubernetes.controlplane.ControlPlaneComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats runs as text, grouped by row. */
final class ComparisonTable {
    private static final String COLUMNS = "  %-14s %12s %8s %8s %8s %8s | %7s %7s %7s %7s %7s %7s | %7s %6s %6s";
    private static final List<String> HEAD = List.of(
            COLUMNS.formatted(
                    "", "", "pods/s", "p50 ms", "p99 ms", "writes", "API", "sched-", "contr-", "etcd", "who", "broker",
                    "API", "load", "others"),
            COLUMNS.formatted(
                    "who", "bound", "", "", "", "a pod", "server", "uler", "ollers", "", "alloc.", "in it", "share %",
                    "", ""));

    /** The meaning of the columns. */
    static final List<String> LEGEND = List.of(
            "pods/s: from the creation of the first pod to the binding of the last. p50, p99: from the first watch event of a pod to its binding, by a watch of its own; only if all pods were bound in time.",
            "writes a pod: requests to the API server that change something, by all clients, without leases. Between the bars: ms of processor time per bound pod;",
            "'who alloc.' is next-free or the process claimstream up, 'broker in it' the part of its broker threads (without compiler and collector).",
            "API share: part of the machine that the API server used. load: load average of the last minute. others: processors that other programs used.");

    private ComparisonTable() {}

    /** Returns the lines before the runs of a row. */
    static List<String> head(String row, String says) {
        List<String> lines = new ArrayList<>(List.of("", "%s: %s".formatted(row, says)));
        lines.addAll(HEAD);
        return lines;
    }

    /** Returns the line of a run. */
    static String line(ComparisonRun run) {
        return switch (run.result()) {
            case ComparisonRun.FailedRun failed ->
                "  %-14s failed: %s"
                        .formatted(run.allocator().text(), failed.reason().replace('\n', ' '));
            case RunMeasurement measured -> line(run.allocator(), measured) + faultText(measured);
        };
    }

    private static String line(MeasuredAllocator who, RunMeasurement measured) {
        boolean isCut = measured.isTimedOut();
        return String.format(
                Locale.ROOT,
                COLUMNS,
                who.text(),
                isCut ? "%d of %d".formatted(measured.bound(), measured.pods()) : Long.toString(measured.bound()),
                decimal(measured.podsPerSecond()),
                isCut ? "-" : whole(measured.p50Millis()),
                isCut ? "-" : whole(measured.p99Millis()),
                decimal(measured.writesPerPod()),
                decimal(measured.millis(ControlPlaneComponent.API_SERVER)),
                decimal(measured.millis(ControlPlaneComponent.SCHEDULER)),
                decimal(measured.millis(ControlPlaneComponent.CONTROLLERS)),
                decimal(measured.millis(ControlPlaneComponent.ETCD)),
                who == MeasuredAllocator.KUBE_SCHEDULER ? "-" : decimal(measured.allocatorMillis(who)),
                who == MeasuredAllocator.CLAIMSTREAM ? decimal(measured.brokerMillis(who)) : "-",
                whole(100 * measured.apiShare()),
                decimal(measured.loadAverage()),
                decimal(measured.otherProcessors()));
    }

    private static String faultText(RunMeasurement measured) {
        StringBuilder text = new StringBuilder();
        if (measured.faults() > 0) {
            text.append("  FAULTS: %d devices or counters allocated twice".formatted(measured.faults()));
        }
        if (measured.wronglyBound() > 0) {
            text.append("  FAULTS: %d pods bound that fit nowhere".formatted(measured.wronglyBound()));
        }
        return text.toString();
    }

    private static String decimal(double number) {
        return String.format(Locale.ROOT, Math.abs(number) < 0.995 ? "%.2f" : "%,.1f", number);
    }

    private static String whole(double number) {
        return String.format(Locale.ROOT, "%,.0f", number);
    }
}

package dev.claimstream.load.beside;

import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions.Gates;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions.Rates;
import dev.claimstream.load.beside.ClusterLoad.LoadClaimKind;
import java.util.List;

/**
 * A load that several allocators run directly after each other.
 *
 * @param name the name for selection
 * @param rates the request rates of scheduler and controllers
 * @param warm number of warm-up pods per allocator, in the same processes
 */
record ComparisonRow(
        String name, ClusterLoad load, Gates gates, Rates rates, int warm, List<MeasuredAllocator> allocators) {
    static final String PLAIN_DEFAULT = "plain-default";
    static final String PLAIN_ALL = "plain-all";
    static final String PLAIN_QPS = "plain-qps";
    static final String PAIRS = "pairs";
    static final String PARTITIONS_100 = "partitions-100";
    static final String PARTITIONS_500 = "partitions-500";
    static final String UNFIT = "unfit";
    static final String RATE = "rate";

    private static final int NODES = 500;
    private static final int WARM = 500;
    private static final int SMALLER = 20;
    private static final int FEWEST = 10;
    private static final List<MeasuredAllocator> ALL = List.of(MeasuredAllocator.values());
    // Next-free gives each claim one device, whatever it requests, so it is used only for such claims.
    private static final List<MeasuredAllocator> TWO =
            List.of(MeasuredAllocator.KUBE_SCHEDULER, MeasuredAllocator.CLAIMSTREAM);

    /**
     * The default rows.
     *
     * <p>The number of pods is smaller for the request rates of a default installation (10 pods per second) and for
     * partitions, where kube-scheduler is slow: the resulting rate does not depend on it.
     */
    static final List<ComparisonRow> DEFAULT = List.of(
            new ComparisonRow(
                    PLAIN_DEFAULT,
                    atOnce(LoadClaimKind.PLAIN, NODES, 10, 2_000),
                    Gates.DEFAULT,
                    Rates.RAISED,
                    WARM,
                    ALL),
            new ComparisonRow(
                    PLAIN_ALL, atOnce(LoadClaimKind.PLAIN, NODES, 10, 2_000), Gates.ALL, Rates.RAISED, WARM, ALL),
            new ComparisonRow(
                    PLAIN_QPS, atOnce(LoadClaimKind.PLAIN, NODES, 10, 400), Gates.DEFAULT, Rates.DEFAULT, 50, TWO),
            new ComparisonRow(PAIRS, atOnce(LoadClaimKind.PAIRS, NODES, 10, 2_000), Gates.ALL, Rates.RAISED, WARM, TWO),
            new ComparisonRow(
                    PARTITIONS_100, atOnce(LoadClaimKind.PARTITIONS, 100, 4, 500), Gates.ALL, Rates.RAISED, 200, ALL),
            new ComparisonRow(
                    PARTITIONS_500, atOnce(LoadClaimKind.PARTITIONS, NODES, 4, 500), Gates.ALL, Rates.RAISED, 200, ALL),
            new ComparisonRow(
                    UNFIT,
                    new ClusterLoad(LoadClaimKind.PLAIN, NODES, 10, 2_000, 0, 100),
                    Gates.DEFAULT,
                    Rates.RAISED,
                    WARM,
                    TWO),
            new ComparisonRow(
                    RATE,
                    new ClusterLoad(LoadClaimKind.PLAIN, NODES, 10, 900, 30, 0),
                    Gates.ALL,
                    Rates.RAISED,
                    WARM,
                    ALL));

    private static ClusterLoad atOnce(LoadClaimKind kind, int nodes, int devices, int pods) {
        return new ClusterLoad(kind, nodes, devices, pods, 0, 0);
    }

    /** Returns whether the row has the configuration that the goals refer to. */
    boolean isGoalConfiguration() {
        return DEFAULT.stream()
                .anyMatch(each -> each.load.equals(load)
                        && each.name.equals(name)
                        && each.gates == gates
                        && each.rates == rates
                        && each.warm == warm);
    }

    /** Returns a smaller row for a quick check. */
    ComparisonRow small() {
        var smaller = new ClusterLoad(
                load.kind(),
                fewer(load.nodes()),
                load.devices(),
                fewer(load.pods()),
                load.rate(),
                load.unfit() == 0 ? 0 : fewer(load.unfit()));
        return new ComparisonRow(name, smaller, gates, rates, smaller.pods(), allocators);
    }

    private static int fewer(int count) {
        return Math.max(FEWEST, count / SMALLER);
    }

    ComparisonRow with(ClusterLoad other) {
        return new ComparisonRow(name, other, gates, rates, warm, allocators);
    }

    ComparisonRow with(Gates other) {
        return new ComparisonRow(name, load, other, rates, warm, allocators);
    }

    ComparisonRow with(Rates other) {
        return new ComparisonRow(name, load, gates, other, warm, allocators);
    }

    ComparisonRow with(List<MeasuredAllocator> others) {
        return new ComparisonRow(name, load, gates, rates, warm, others);
    }

    ComparisonRow withWarm(int pods) {
        return new ComparisonRow(name, load, gates, rates, pods, allocators);
    }

    /** Describes the row in a line. */
    String description() {
        String switches = switch (gates) {
            case ALL -> "every gate";
            case DEFAULT -> "default gates";
            case OFF -> "no gate that can be off";
        };
        String requests = switch (rates) {
            case DEFAULT -> "default QPS (scheduler 50, controllers 20)";
            case RAISED -> "QPS raised to 5000";
        };
        return "%s; %s; %s".formatted(load, switches, requests);
    }
}

package dev.claimstream.load.beside;

import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions.Gates;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions.Rates;
import dev.claimstream.load.beside.Load.Kind;
import java.util.List;

/**
 * A load that several allocators run directly after each other.
 *
 * @param name the name for selection
 * @param rates the request rates of scheduler and controllers
 * @param warm number of warm-up pods per allocator, in the same processes
 */
record Row(String name, Load load, Gates gates, Rates rates, int warm, List<Who> who) {
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
    private static final List<Who> ALL = List.of(Who.values());
    // Next-free gives each claim one device, whatever it requests, so it is used only for such claims.
    private static final List<Who> TWO = List.of(Who.STOCK, Who.CLAIMSTREAM);

    /**
     * The default rows.
     *
     * <p>The number of pods is smaller for the request rates of a default installation (10 pods per second) and for partitions, where
     * kube-scheduler is slow: the resulting rate does not depend on it.
     */
    static final List<Row> DEFAULT = List.of(
            new Row(PLAIN_DEFAULT, atOnce(Kind.PLAIN, NODES, 10, 2_000), Gates.DEFAULT, Rates.RAISED, WARM, ALL),
            new Row(PLAIN_ALL, atOnce(Kind.PLAIN, NODES, 10, 2_000), Gates.ALL, Rates.RAISED, WARM, ALL),
            new Row(PLAIN_QPS, atOnce(Kind.PLAIN, NODES, 10, 400), Gates.DEFAULT, Rates.DEFAULT, 50, TWO),
            new Row(PAIRS, atOnce(Kind.PAIRS, NODES, 10, 2_000), Gates.ALL, Rates.RAISED, WARM, TWO),
            new Row(PARTITIONS_100, atOnce(Kind.PARTITIONS, 100, 4, 500), Gates.ALL, Rates.RAISED, 200, ALL),
            new Row(PARTITIONS_500, atOnce(Kind.PARTITIONS, NODES, 4, 500), Gates.ALL, Rates.RAISED, 200, ALL),
            new Row(UNFIT, new Load(Kind.PLAIN, NODES, 10, 2_000, 0, 100), Gates.DEFAULT, Rates.RAISED, WARM, TWO),
            new Row(RATE, new Load(Kind.PLAIN, NODES, 10, 900, 30, 0), Gates.ALL, Rates.RAISED, WARM, ALL));

    private static Load atOnce(Kind kind, int nodes, int devices, int pods) {
        return new Load(kind, nodes, devices, pods, 0, 0);
    }

    /** Returns whether the row has the configuration that the goals refer to. */
    boolean isOfGoals() {
        return DEFAULT.stream()
                .anyMatch(each -> each.load.equals(load)
                        && each.name.equals(name)
                        && each.gates == gates
                        && each.rates == rates
                        && each.warm == warm);
    }

    /** Returns a smaller row for a quick check. */
    Row small() {
        var smaller = new Load(
                load.kind(),
                fewer(load.nodes()),
                load.devices(),
                fewer(load.pods()),
                load.rate(),
                load.unfit() == 0 ? 0 : fewer(load.unfit()));
        return new Row(name, smaller, gates, rates, smaller.pods(), who);
    }

    private static int fewer(int count) {
        return Math.max(FEWEST, count / SMALLER);
    }

    Row with(Load other) {
        return new Row(name, other, gates, rates, warm, who);
    }

    Row with(Gates other) {
        return new Row(name, load, other, rates, warm, who);
    }

    Row with(Rates other) {
        return new Row(name, load, gates, other, warm, who);
    }

    Row with(List<Who> others) {
        return new Row(name, load, gates, rates, warm, others);
    }

    Row withWarm(int pods) {
        return new Row(name, load, gates, rates, pods, who);
    }

    /** Describes the row in a line. */
    String says() {
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

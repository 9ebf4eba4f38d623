package dev.claimstream.load.beside;

import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions.Gates;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions.Rates;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options for the selection and size of the rows. */
final class RowOptions {
    @Option(names = "--rows", split = ",", paramLabel = "ROW", description = "Rows, comma-separated. Default: all.")
    private List<String> names = new ArrayList<>();

    @Option(
            names = "--who",
            split = ",",
            paramLabel = "WHO",
            description =
                    "Allocators, comma-separated: kube-scheduler, next-free, claimstream. Default: those of the row.")
    private List<String> who = new ArrayList<>();

    @Option(
            names = "--small",
            description =
                    "Use a twentieth of nodes and pods; five minutes for all rows. The process is hardly warm then: the figures show only that everything works.")
    private boolean small;

    @Option(names = "--nodes", paramLabel = "N", description = "Nodes of every row. Default: those of the row.")
    private Optional<Integer> nodes = Optional.empty();

    @Option(
            names = "--devices",
            paramLabel = "N",
            description = "Devices of a node; with partitions the devices that are divided. Default: those of the row.")
    private Optional<Integer> devices = Optional.empty();

    @Option(names = "--pods", paramLabel = "N", description = "Pods of every row. Default: those of the row.")
    private Optional<Integer> pods = Optional.empty();

    @Option(
            names = "--unfit",
            paramLabel = "N",
            description = "Additional pods that fit nowhere. Default: 100 in the row unfit.")
    private Optional<Integer> unfit = Optional.empty();

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Pods a second; 0: all at once. Default: that of the row.")
    private Optional<Double> rate = Optional.empty();

    @Option(
            names = "--gates",
            paramLabel = "all|default|off",
            description = "Feature gates. Default: those of the row.")
    private Optional<Gates> gates = Optional.empty();

    @Option(
            names = "--qps",
            paramLabel = "default|raised",
            description =
                    "Requests a second that scheduler and controllers may make: as released, or 5000. Default: that of the row.")
    private Optional<Rates> rates = Optional.empty();

    @Option(
            names = "--warm",
            paramLabel = "N",
            description =
                    "Pods created and deleted before the measurement starts. Default: those of the row, at most --pods.")
    private Optional<Integer> warm = Optional.empty();

    /** @throws ParameterException if an option is invalid */
    List<ComparisonRow> rows(CommandLine line) {
        List<MeasuredAllocator> chosen =
                who.stream().map(each -> who(line, each)).toList();
        return (names.isEmpty()
                        ? ComparisonRow.DEFAULT
                        : names.stream().map(each -> row(line, each)).toList())
                .stream()
                        .map(row -> small ? row.small() : row)
                        .map(this::withOptions)
                        .map(row -> chosen.isEmpty() ? row : row.with(chosen))
                        .map(row -> validated(line, row))
                        .toList();
    }

    private static ComparisonRow row(CommandLine line, String name) {
        return ComparisonRow.DEFAULT.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new ParameterException(
                        line,
                        "--rows %s: there is no such row; there are %s"
                                .formatted(
                                        name,
                                        ComparisonRow.DEFAULT.stream()
                                                .map(ComparisonRow::name)
                                                .collect(Collectors.joining(", ")))));
    }

    private static MeasuredAllocator who(CommandLine line, String name) {
        for (MeasuredAllocator each : MeasuredAllocator.values()) {
            if (each.text().equals(name)) {
                return each;
            }
        }
        throw new ParameterException(
                line, "--who %s: there are kube-scheduler, next-free and claimstream".formatted(name));
    }

    private ComparisonRow withOptions(ComparisonRow row) {
        ClusterLoad load = row.load();
        ComparisonRow sized = row.with(new ClusterLoad(
                load.kind(),
                nodes.orElse(load.nodes()),
                devices.orElse(load.devices()),
                pods.orElse(load.pods()),
                rate.orElse(load.rate()),
                unfit.orElse(load.unfit())));
        ComparisonRow gated = gates.map(sized::with).orElse(sized);
        ComparisonRow limited = rates.map(gated::with).orElse(gated);
        return limited.withWarm(
                warm.orElse(Math.min(limited.warm(), limited.load().pods())));
    }

    private static ComparisonRow validated(CommandLine line, ComparisonRow row) {
        ClusterLoad load = row.load();
        positive(line, "--nodes", load.nodes());
        positive(line, "--devices", load.devices());
        positive(line, "--pods", load.pods());
        notNegative(line, "--unfit", load.unfit());
        notNegative(line, "--rate", load.rate());
        notNegative(line, "--warm", row.warm());
        if (Math.max(load.pods(), row.warm()) > load.capacity()) {
            throw new ParameterException(
                    line,
                    "row %s: %d nodes x %d devices have room for %d pods, not for %d: fewer --pods (and --warm), or more --nodes"
                            .formatted(
                                    row.name(),
                                    load.nodes(),
                                    load.devices(),
                                    load.capacity(),
                                    Math.max(load.pods(), row.warm())));
        }
        return row;
    }

    private static void positive(CommandLine line, String option, int value) {
        if (value <= 0) {
            throw new ParameterException(line, "%s %d: must be above 0".formatted(option, value));
        }
    }

    private static void notNegative(CommandLine line, String option, double value) {
        if (value < 0) {
            throw new ParameterException(line, "%s %s: must not be negative".formatted(option, value));
        }
    }
}

package dev.claimstream.cli;

import dev.claimstream.cli.input.GateOptions;
import dev.claimstream.cli.output.JsonLine;
import dev.claimstream.cli.output.Terminal;
import dev.claimstream.cli.output.TextTable;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Selector.Match;
import dev.claimstream.manifests.ManifestReadResult;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.selectors.Evaluation;
import dev.claimstream.selectors.Features;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Evaluates one CEL selector on each device of manifests. */
@Command(
        name = "match",
        mixinStandardHelpOptions = true,
        header = "Evaluate a CEL selector on the devices of manifests.",
        description = {
            "",
            "Prints for each published device whether the expression selects it, or the error, and the cost of the"
                    + " evaluation (the API allows 1000000). An error prevents the allocation of a claim wherever the search"
                    + " meets the device.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the expression compiles, and every device is listed",
            "1:it does not compile (only the message is printed), or an input was invalid"
        },
        footer = {"", "Example:", "  claimstream match 'device.driver == \"gpu.nvidia.com\"' -f slices.yaml"})
final class MatchCommand implements Callable<Integer> {
    private static final String MANIFESTS = "a file, a directory or - for standard input";

    @Parameters(
            index = "0",
            paramLabel = "CEL",
            description = "The expression; put it last, after --, if it begins with a minus.")
    private String expression;

    @Option(
            names = {"-f", "--filename"},
            paramLabel = "PATH",
            description = "ResourceSlices, and the DeviceClass of --class: " + MANIFESTS + ".")
    private List<String> files = new ArrayList<>();

    @Option(
            names = {"-R", "--recursive"},
            description = "Also read subdirectories.")
    private boolean recursive;

    @Option(names = "--class", paramLabel = "NAME", description = "Only devices that this DeviceClass selects.")
    private Optional<String> className = Optional.empty();

    @Option(
            names = "--new-expression",
            description =
                    "Compile as an API server compiles the selector of a new object: one release behind, with only what the"
                            + " gates allow. Default: as kube-scheduler compiles a stored selector.")
    private boolean newExpression;

    @Option(names = "--no-validation", description = "Also accept objects that an API server would reject.")
    private boolean noValidation;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "table, or json with a line for each device.")
    private String output;

    @Mixin
    private GateOptions gates;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private MatchCommand() {}

    private record DeviceMatch(DeviceId device, Evaluation evaluation) {}

    @Override
    public Integer call() {
        checkOptions();
        PrintWriter err = spec.commandLine().getErr();
        CelSelectors selectors = selectors();
        Optional<String> problem = selectors.problem(expression);
        if (problem.isPresent()) {
            err.println("claimstream match: " + problem.get());
            return ExitCodes.FAILED;
        }
        ManifestReadResult reading = Manifests.read(files, options(), System.in);
        reading.findings().forEach(err::println);
        outdated(reading.objects()).forEach(err::println);
        List<DeviceMatch> rows = rows(reading, selectors);
        if (rows.isEmpty()) {
            err.println("claimstream match: there is no device: name files with ResourceSlices");
        } else {
            PrintWriter out = spec.commandLine().getOut();
            out.print(output.equals("json") ? json(rows) : table(rows));
            out.flush();
        }
        return reading.hasErrors() ? ExitCodes.FAILED : ExitCodes.SUCCESS;
    }

    private void checkOptions() {
        if (files.isEmpty()) {
            throw wrong("missing -f PATH: name " + MANIFESTS + ", with ResourceSlices");
        }
        if (!output.equals("table") && !output.equals("json")) {
            throw wrong("--output %s is not known: use table or json".formatted(output));
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private CelSelectors selectors() {
        var features = gates.features(spec);
        return new CelSelectors(newExpression ? Features.ofNew(features) : Features.DEFAULT);
    }

    private ReadOptions options() {
        return ReadOptions.DEFAULT
                .with(recursive ? ReadOptions.Directories.RECURSIVE : ReadOptions.Directories.FLAT)
                .with(noValidation ? ReadOptions.Strictness.SERVED : ReadOptions.Strictness.STRICT);
    }

    private List<DeviceMatch> rows(ManifestReadResult reading, CelSelectors selectors) {
        List<String> first = classSelectors(reading.objects());
        List<DeviceMatch> rows = new ArrayList<>();
        for (ClusterObject object : reading.objects()) {
            if (object instanceof ResourceSlice slice) {
                for (Device device : slice.devices()) {
                    DeviceId id = new DeviceId(slice.driver(), slice.pool(), device.name());
                    evaluate(selectors, first, slice.driver(), device)
                            .ifPresent(evaluation -> rows.add(new DeviceMatch(id, evaluation)));
                }
            }
        }
        return rows;
    }

    /** Returns a warning for each slice of an old pool generation. Its devices are not allocatable, but evaluated as well. */
    private static List<String> outdated(List<ClusterObject> objects) {
        Map<PoolId, Long> newest = new TreeMap<>();
        List<ResourceSlice> slices = objects.stream()
                .filter(ResourceSlice.class::isInstance)
                .map(ResourceSlice.class::cast)
                .toList();
        slices.forEach(slice -> newest.merge(slice.poolId(), slice.generation(), Math::max));
        return slices.stream()
                .filter(slice -> slice.generation() < Objects.requireNonNull(newest.get(slice.poolId())))
                .map(slice ->
                        "claimstream match: slice %s has generation %d, and pool %s has generation %d: its devices cannot be allocated"
                                .formatted(
                                        slice.meta().name(),
                                        slice.generation(),
                                        slice.poolId(),
                                        newest.get(slice.poolId())))
                .toList();
    }

    private List<String> classSelectors(List<ClusterObject> objects) {
        if (className.isEmpty()) {
            return List.of();
        }
        return objects.stream()
                .filter(DeviceClass.class::isInstance)
                .map(DeviceClass.class::cast)
                .filter(each -> each.meta().name().equals(className.get()))
                .findFirst()
                .orElseThrow(() ->
                        wrong("--class %s: the files have no DeviceClass of this name".formatted(className.get())))
                .selectors();
    }

    /**
     * Evaluates the class selectors and then the expression.
     *
     * @return empty if the class does not select the device; the error of the class selector if it fails
     */
    private Optional<Evaluation> evaluate(
            CelSelectors selectors, List<String> classSelectors, String driver, Device device) {
        for (int i = 0; i < classSelectors.size(); i++) {
            Evaluation evaluation = selectors.evaluate(classSelectors.get(i), driver, device);
            switch (evaluation.match()) {
                case Match.SelectorMatch _ -> {}
                case Match.SelectorMismatch _ -> {
                    return Optional.empty();
                }
                case Match.SelectorError failed -> {
                    String message = "class %s: selector #%d: %s".formatted(className.orElse(""), i, failed.message());
                    return Optional.of(new Evaluation(new Match.SelectorError(message), evaluation.cost()));
                }
            }
        }
        return Optional.of(selectors.evaluate(expression, driver, device));
    }

    private static String table(List<DeviceMatch> rows) {
        TextTable table = new TextTable("DEVICE", "MATCH", "COST", "ERROR");
        for (DeviceMatch row : rows) {
            String cost = Long.toUnsignedString(row.evaluation.cost());
            table.add(row.device.toString(), word(row.evaluation.match()), cost, error(row.evaluation.match()));
        }
        return table.text(Terminal.width());
    }

    private static String word(Match match) {
        return switch (match) {
            case Match.SelectorMatch _ -> "yes";
            case Match.SelectorMismatch _ -> "no";
            case Match.SelectorError _ -> "error";
        };
    }

    private static String error(Match match) {
        return match instanceof Match.SelectorError failed ? failed.message().replace('\n', ' ') : "-";
    }

    private static String json(List<DeviceMatch> rows) {
        var lines = new StringBuilder();
        for (DeviceMatch row : rows) {
            var line = new JsonLine()
                    .text("driver", row.device.driver())
                    .text("pool", row.device.pool())
                    .text("device", row.device.device());
            switch (row.evaluation.match()) {
                case Match.SelectorMatch _ -> line.literal("match", "true").literal("error", "null");
                case Match.SelectorMismatch _ -> line.literal("match", "false").literal("error", "null");
                case Match.SelectorError failed -> line.literal("match", "null").text("error", failed.message());
            }
            lines.append(line.literal("cost", Long.toUnsignedString(row.evaluation.cost())))
                    .append('\n');
        }
        return lines.toString();
    }
}

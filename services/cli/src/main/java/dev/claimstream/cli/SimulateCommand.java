package dev.claimstream.cli;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.cli.folder.DataOption;
import dev.claimstream.cli.input.GateOptions;
import dev.claimstream.cli.input.ManifestInputs;
import dev.claimstream.cli.input.RawManifestFiles;
import dev.claimstream.cli.output.FoldedText;
import dev.claimstream.cli.output.Terminal;
import dev.claimstream.cli.standalone.RunSettings;
import dev.claimstream.console.ExpressionValidator;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.manifests.ReadOptions.WorkloadTreatment;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.simulation.ManifestCell;
import dev.claimstream.simulation.SimulatedCell;
import dev.claimstream.simulation.Simulation;
import dev.claimstream.simulation.SimulationJson;
import dev.claimstream.simulation.SimulationRequest;
import dev.claimstream.simulation.SimulationResult;
import dev.claimstream.simulation.SimulationText;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Tries changes of a cluster on a copy of its state, and prints what would happen. */
@Command(
        name = "simulate",
        mixinStandardHelpOptions = true,
        header = "Try changes of a cluster without making them: which claims would fit, and where.",
        description = {
            "",
            "Asks a simulator service, or computes the state of the cells from the recorded inputs of the log: of the running"
                    + " up, or of --bootstrap or --archive; or from manifests with --cluster. Then it adds and drains nodes, adds"
                    + " the objects of -f, and lets the cells decide under their work budget. Nothing is written, and the log"
                    + " stays as it is.",
            "",
            "Prints where each claim would be allocated or why it would be pending, other items that would change, and"
                    + " utilisation and fragmentation before and after. With several cells the answer names the cell of each"
                    + " claim, and is approximate: the cells are asked without the router.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:everything of -f and of drained nodes would be allocated",
            "1:the command failed",
            "3:something would be pending"
        },
        footer = {
            "",
            "Examples:",
            "  claimstream simulate -f claims.yaml",
            "  claimstream simulate --drain gpu-a100-2",
            "  claimstream simulate --add-nodes gpu-a100-2=4 -f claims.yaml --at 2026-03-01T12:00:00Z",
            "  claimstream simulate --cluster my-cluster -f claims.yaml --shapes",
            "  claimstream simulate --simulator http://127.0.0.1:8420 -f claims.yaml"
        })
final class SimulateCommand implements Callable<Integer> {
    @Option(
            names = "--add-nodes",
            paramLabel = "SHAPE=N",
            description = "Add N empty nodes like a node of this name, or of this instance type. Repeatable.")
    private Map<String, Integer> added = new LinkedHashMap<>();

    @Option(
            names = "--drain",
            paramLabel = "NODE",
            description = "Cordon a node and create its pods and their claims again. Repeatable.")
    private List<String> drained = new ArrayList<>();

    @Option(
            names = {"-f", "--filename"},
            paramLabel = "PATH",
            description = "Add the objects of a file, a directory or - for standard input.")
    private List<String> files = new ArrayList<>();

    @Option(
            names = {"-R", "--recursive"},
            description = "Also read subdirectories.")
    private boolean recursive;

    @Option(
            names = "--cluster",
            paramLabel = "PATH",
            description = "Simulate the cluster of these manifests instead of a log. Repeatable.")
    private List<String> clusterFiles = new ArrayList<>();

    @Option(
            names = "--policy",
            paramLabel = "POLICY",
            description = "best-fit or first-fit for what is allocated in the simulation. Default: that of the cell.")
    private Optional<String> policy = Optional.empty();

    @Option(
            names = "--shapes",
            description = "Try pending claims of -f also with one more node of each shape, as a node autoscaler would.")
    private boolean shapes;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "text or json.")
    private String output;

    @Mixin
    private SimulatorOption simulator;

    @Mixin
    private StateOption state;

    @Mixin
    private DataOption data;

    @Mixin
    private GateOptions gates;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private SimulateCommand() {}

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        if (!output.equals("text") && !output.equals("json")) {
            throw invalid("--output %s is not known: use text or json".formatted(output));
        }
        if (!clusterFiles.isEmpty() && (state.isGiven() || data.isNamed())) {
            throw invalid("--cluster excludes --data, --at, --archive and --bootstrap: manifests have no log");
        }
        RunSettings settings = RunSettings.checked(
                spec,
                policy.orElse(RunSettings.defaults().policy()),
                RunSettings.defaults().searchStepsMax(),
                gates.features(spec));
        var request = new SimulationRequest(
                new TreeMap<>(added), new TreeSet<>(drained), List.of(), policy.map(DeviceExplanation::policy), shapes);
        Optional<URI> service = simulator.address(!clusterFiles.isEmpty() || state.isGiven() || data.isNamed());
        return service.map(address -> ask(address, request)).orElseGet(() -> compute(request, settings, err));
    }

    private int ask(URI address, SimulationRequest request) {
        SimulatorClient.SimulatorAnswer answer = new SimulatorClient(address)
                .simulate(
                        request,
                        files.isEmpty() ? List.of() : RawManifestFiles.of(files, recursive, System.in),
                        output.equals("json"));
        return print(answer.text(), answer.fits());
    }

    private int compute(SimulationRequest request, RunSettings settings, PrintWriter err) {
        SimulationRequest complete = files.isEmpty() ? request : request.withObjects(read(files, settings, err));
        SimulationResult result = clusterFiles.isEmpty() ? ofLog(complete) : ofManifests(complete, settings, err);
        return print(
                output.equals("json") ? SimulationJson.of(result).indentedJson() : SimulationText.of(result),
                result.fits());
    }

    private int print(String text, boolean fits) {
        PrintWriter out = spec.commandLine().getOut();
        out.print(output.equals("json") ? text : FoldedText.of(text, Terminal.width()));
        out.flush();
        return fits ? ExitCodes.SUCCESS : ExitCodes.SOME_PENDING;
    }

    private SimulationResult ofLog(SimulationRequest request) {
        try (AuditLog log = state.open(data::folder)) {
            return new Simulation(state.replay(log).stream()
                            .map(each ->
                                    new SimulatedCell(each.cell(), each.at().orElse(Instant.EPOCH), each.offset()))
                            .toList())
                    .run(request);
        }
    }

    private SimulationResult ofManifests(SimulationRequest request, RunSettings settings, PrintWriter err) {
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        Cell cell = ManifestCell.of(
                read(clusterFiles, settings, err), DeviceExplanation.cellSettings(settings), new CelSelectors(), now);
        return new Simulation(cell, now, -1).run(request);
    }

    private List<ClusterObject> read(List<String> paths, RunSettings settings, PrintWriter err) {
        return ManifestInputs.read(
                        paths,
                        recursive,
                        WorkloadTreatment.EXPANDED,
                        new ExpressionValidator(settings.features()),
                        System.in,
                        err)
                .listing()
                .objects();
    }

    private ParameterException invalid(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}

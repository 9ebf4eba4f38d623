package dev.claimstream.cli;

import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.cli.console.ClusterOption;
import dev.claimstream.cli.console.ConsoleClient;
import dev.claimstream.cli.console.ConsoleOption;
import dev.claimstream.cli.input.GateOptions;
import dev.claimstream.cli.input.ManifestInputs;
import dev.claimstream.cli.output.FoldedText;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.cli.output.Terminal;
import dev.claimstream.cli.standalone.RunSettings;
import dev.claimstream.cli.standalone.StandaloneRun;
import dev.claimstream.cli.standalone.StandaloneRunner;
import dev.claimstream.console.ClaimResult;
import dev.claimstream.console.ClaimStateText;
import dev.claimstream.console.ExplanationJson;
import dev.claimstream.console.ExplanationText;
import dev.claimstream.console.ExpressionValidator;
import dev.claimstream.console.PodExplainer;
import dev.claimstream.console.PodResult;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.manifests.ReadOptions.WorkloadTreatment;
import dev.claimstream.simulation.DeviceReport;
import dev.claimstream.simulation.DeviceReportJson;
import dev.claimstream.simulation.DeviceReportText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints the explanation of one claim or pod. */
@Command(
        name = "explain",
        mixinStandardHelpOptions = true,
        header = "Explain why a claim is allocated as it is, or why it is pending; or the claims of a pod.",
        description = {
            "",
            "Shows per request how the candidates shrink, the nearest miss and the holders of its devices; for an allocated claim"
                    + " the reason for the node and the second-best node. The claim is one of the running 'claimstream up', or, with"
                    + " -f, one of manifests, which are processed as in run.",
            "",
            "With --devices or --at the state is computed from the recorded inputs of the log, as in replay: of the running"
                    + " up, or of --bootstrap or --archive. A console of --console asks its simulator about --devices.",
            "",
            "For a pod it shows the state of each of its claims, and the claim that kube-scheduler itself creates for its"
                    + " extended resources.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the claim, or every claim of the pod, is allocated",
            "1:the claim or pod does not exist, or the command failed",
            "3:it is pending"
        },
        footer = {
            "",
            "Examples:",
            "  claimstream explain claim research/too-big",
            "  claimstream explain claim research/too-big --devices",
            "  claimstream explain claim research/too-big --at 2026-03-01T12:00:00Z",
            "  claimstream explain claim research/too-big -f my-manifests",
            "  claimstream explain pod research/trainer -f my-manifests"
        })
final class ExplainCommand implements Callable<Integer> {
    private static final int NAMED_MAX = 20;

    @Parameters(index = "0", paramLabel = "KIND", description = "claim or pod.")
    private String kind;

    @Parameters(
            index = "1",
            paramLabel = "NAMESPACE/NAME",
            description = "Name; without NAMESPACE, in the namespace of -n.")
    private String name;

    @Option(
            names = {"-f", "--filename"},
            paramLabel = "PATH",
            description = "A file, a directory or - for standard input, with Kubernetes objects in YAML or JSON.")
    private List<String> files = new ArrayList<>();

    @Option(
            names = {"-R", "--recursive"},
            description = "Also read subdirectories.")
    private boolean recursive;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "text or json.")
    private String output;

    @Option(
            names = "--policy",
            paramLabel = "POLICY",
            defaultValue = "best-fit",
            description = "With -f: best-fit (default) or first-fit, as in run.")
    private String policy;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NS",
            description = "Namespace if NAME has none. Default: that of the context, else default.")
    private Optional<String> namespace = Optional.empty();

    @Option(
            names = "--devices",
            description =
                    "List for each device the first requirement that it fails, and what would help. Devices that fail in"
                            + " the same way are one line; -o json lists all.")
    private boolean devices;

    @Mixin
    private StateOption state;

    @Mixin
    private ClusterOption cluster;

    @Mixin
    private ConsoleOption console;

    @Mixin
    private GateOptions gates;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private ExplainCommand() {}

    @Override
    public Integer call() throws IOException {
        PrintWriter err = spec.commandLine().getErr();
        if (!isPod() && !kind.equals("claim") && !kind.equals("resourceclaim")) {
            throw new ParameterException(
                    spec.commandLine(),
                    "%s cannot be explained: use claim NAMESPACE/NAME or pod NAMESPACE/NAME".formatted(kind));
        }
        if (!output.equals("text") && !output.equals("json")) {
            throw new ParameterException(
                    spec.commandLine(), "--output %s is not known: use text or json".formatted(output));
        }
        RunSettings settings =
                RunSettings.checked(spec, policy, RunSettings.defaults().searchStepsMax(), gates.features(spec));
        if (files.isEmpty() && gates.areGiven()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--features and --kubernetes need -f: the running claimstream has its own gates");
        }
        if (!files.isEmpty() && state.isGiven()) {
            throw new ParameterException(
                    spec.commandLine(), "-f excludes --at, --archive and --bootstrap: manifests have no log");
        }
        String key = name.contains("/") ? name : chosenNamespace() + "/" + name;
        if (files.isEmpty() && state.isGiven()) {
            checkLog();
        }
        if (files.isEmpty() && devices && !state.isGiven() && console.address().isPresent()) {
            return explainByConsole(key, "devices");
        }
        if (devices || state.isGiven()) {
            return explainDevices(key, settings, err);
        }
        return files.isEmpty() ? explainByConsole(key, "explanation") : explainFiles(key, settings, err);
    }

    /** Rejects a time or a log with a console, which has the present state only. A log of an option precedes the variable. */
    private void checkLog() {
        if (console.isAddressNamed()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--console excludes --at, --archive, --bootstrap and --registry: a console knows the present only; leave one out");
        }
        if (!state.isLogNamed() && console.address().isPresent()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--at needs a log, and the console of $%s knows the present only: name the log with --bootstrap or --archive, or an up with --data"
                            .formatted(ConsoleOption.VARIABLE));
        }
    }

    /** Returns the selected namespace. The namespace of the context does not apply to manifests, which belong to no cluster. */
    private String chosenNamespace() {
        return namespace
                .or(() -> files.isEmpty() ? cluster.namespace() : Optional.empty())
                .orElse("default");
    }

    private boolean isPod() {
        return kind.equals("pod");
    }

    private int explainByConsole(String key, String question) {
        int slash = key.indexOf('/');
        String path = ConsoleClient.path(
                List.of(
                        "api",
                        "v1",
                        "namespaces",
                        key.substring(0, slash),
                        isPod() ? "pods" : "claims",
                        key.substring(slash + 1),
                        question),
                new TreeMap<>());
        ConsoleClient client = cluster.connect(console);
        if (client.isNotFound(client.get(path, "text/plain"))) {
            throw new RunFailure(
                    isPod()
                            ? "there is no pod %s".formatted(key)
                            : "there is no claim %s: claimstream get claims -A%s lists all claims"
                                    .formatted(key, console.asOption()));
        }
        ConsoleClient.ConsoleResponse response = output.equals("json") ? client.json(path) : client.text(path);
        print(output.equals("json") ? response.body() : folded(response.body()));
        return response.state()
                        .filter(state -> ClaimStateText.contains(state, ClaimStateText.ALLOCATED))
                        .isPresent()
                ? ExitCodes.SUCCESS
                : ExitCodes.SOME_PENDING;
    }

    /** Explains from the state of a cell, which the log or the manifests give. */
    private int explainDevices(String key, RunSettings settings, PrintWriter err) {
        int slash = key.indexOf('/');
        var explanation =
                new DeviceExplanation(new ObjectKey(key.substring(0, slash), key.substring(slash + 1)), isPod());
        DeviceReport report = files.isEmpty()
                ? explanation.ofLog(state, this::servingFolder)
                : explanation.ofManifests(
                        ManifestInputs.read(
                                files,
                                recursive,
                                WorkloadTreatment.EXPANDED,
                                new ExpressionValidator(settings.features()),
                                System.in,
                                err),
                        settings);
        print(output.equals("json") ? DeviceReportJson.of(report).indentedJson() : folded(DeviceReportText.of(report)));
        return report.isPending() ? ExitCodes.SOME_PENDING : ExitCodes.SUCCESS;
    }

    /** Returns the folder of the {@code up} that serves the selected cluster. */
    private Path servingFolder() {
        return cluster.folder(console)
                .orElseThrow(() -> new RunFailure(
                        cluster.unservedText() + ": name the folder of the one that serves it with --data"));
    }

    private void print(String text) {
        spec.commandLine().getOut().print(text);
        spec.commandLine().getOut().flush();
    }

    private static String folded(String text) {
        return FoldedText.of(text, Terminal.width());
    }

    private int explainFiles(String key, RunSettings settings, PrintWriter err) throws IOException {
        StandaloneRun.RunResult result = StandaloneRunner.run(
                Optional.empty(),
                expressions ->
                        ManifestInputs.read(files, recursive, WorkloadTreatment.EXPANDED, expressions, System.in, err),
                settings,
                err,
                Main.processEnd(spec));
        return isPod() ? explainPod(result, key, err) : explainClaim(result, key, err);
    }

    private int explainPod(StandaloneRun.RunResult result, String key, PrintWriter err) {
        Optional<PodResult> answer = result.input().listing().objects().stream()
                .filter(Pod.class::isInstance)
                .map(Pod.class::cast)
                .filter(each -> each.key().toString().equals(key))
                .findFirst()
                .map(each -> new PodExplainer(result.input().listing().objects(), result.answers())
                        .explain(
                                each,
                                result.schedulerClaim(each.key()),
                                result.pendingExplanation(ItemId.pod(each.key()))));
        if (answer.isEmpty()) {
            err.println("claimstream explain: there is no pod %s in the files".formatted(key));
            return ExitCodes.FAILED;
        }
        print(output.equals("json") ? answer.get().json() : folded(answer.get().text(fileOptions())));
        return exitCode(answer.get().state());
    }

    /** Returns the options that select the same manifests in a suggested command. */
    private String fileOptions() {
        return ManifestInputs.options(files, recursive)
                + (policy.equals(RunSettings.defaults().policy()) ? "" : " --policy " + policy)
                + gates.asOptions();
    }

    private static int exitCode(ClaimResult.ResultState state) {
        return state == ClaimResult.ResultState.ALLOCATED ? ExitCodes.SUCCESS : ExitCodes.SOME_PENDING;
    }

    private int explainClaim(StandaloneRun.RunResult result, String key, PrintWriter err) {
        Optional<ClaimResult> answer = result.answers().stream()
                .filter(each -> each.claim().key().toString().equals(key))
                .findFirst();
        if (answer.isEmpty()) {
            err.println("claimstream explain: there is no claim %s; %s".formatted(key, knownClaims(result.answers())));
            return ExitCodes.FAILED;
        }
        print(output.equals("json") ? ExplanationJson.of(answer.get()) : folded(ExplanationText.of(answer.get())));
        return exitCode(answer.get().state());
    }

    private static String knownClaims(List<ClaimResult> answers) {
        if (answers.isEmpty()) {
            return "the files have none";
        }
        String first = answers.stream()
                .limit(NAMED_MAX)
                .map(each -> each.claim().key().toString())
                .collect(Collectors.joining(", "));
        int more = answers.size() - NAMED_MAX;
        return "there are " + first + (more > 0 ? " and %d more".formatted(more) : "");
    }
}

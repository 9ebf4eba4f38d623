package dev.claimstream.cli;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.cli.input.GateOptions;
import dev.claimstream.cli.output.JsonLine;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.scenarios.ScenarioReader;
import dev.claimstream.scenarios.ScenarioResult;
import dev.claimstream.scenarios.ScenarioRunner;
import dev.claimstream.selectors.CelSelectors;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs scenario files. */
@Command(
        name = "test",
        mixinStandardHelpOptions = true,
        header = "Test that claims are allocated as scenario files require.",
        description = {
            "",
            "A scenario file has Kubernetes objects and one document of kind Scenario, which names claims and their"
                    + " required results. The command starts no service and changes no object.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:every scenario passed", "1:a scenario failed, or a file cannot be read"},
        footer = {"", "Example:", "  claimstream test deploy/examples/scenarios"})
final class TestCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "PATH",
            arity = "0..*",
            description = "Scenario files, directories of them, or - for standard input.")
    private List<String> paths = new ArrayList<>();

    @Option(
            names = {"-R", "--recursive"},
            description = "Also read subdirectories.")
    private boolean recursive;

    @Option(names = "--no-validation", description = "Also accept objects that an API server would reject.")
    private boolean noValidation;

    @Option(
            names = "--policy",
            paramLabel = "POLICY",
            defaultValue = "best-fit",
            description =
                    "Policy of scenarios that name none: best-fit (default), or first-fit as kube-scheduler does.")
    private String policy;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "text, or json with a line for each scenario.")
    private String output;

    @Mixin
    private GateOptions gates;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private TestCommand() {}

    @Override
    public Integer call() throws IOException {
        checkOptions();
        var features = gates.features(spec);
        var scenarios =
                new ScenarioRunner(new CelSelectors(), features, chosenPolicy(), CellSettings.SEARCH_STEPS_DEFAULT);
        ReadOptions options = ReadOptions.DEFAULT
                .with(recursive ? ReadOptions.Directories.RECURSIVE : ReadOptions.Directories.FLAT)
                .with(noValidation ? ReadOptions.Strictness.SERVED : ReadOptions.Strictness.STRICT);
        var reader = new ScenarioReader(options, features);
        List<ScenarioResult> outcomes = new ArrayList<>();
        for (String path : paths) {
            if (path.equals(Manifests.STANDARD_INPUT)) {
                outcomes.add(print(outcome(reader.read(path, System.in), scenarios)));
            } else if (!Files.exists(Path.of(path))) {
                outcomes.add(print(missing(path)));
            } else {
                for (Path file : reader.files(Path.of(path))) {
                    outcomes.add(print(outcome(reader.read(file), scenarios)));
                }
            }
        }
        return printSummary(outcomes);
    }

    private void checkOptions() {
        if (paths.isEmpty()) {
            throw wrong("missing PATH: name scenario files or directories of them, or - for standard input");
        }
        if (!output.equals("text") && !output.equals("json")) {
            throw wrong("--output %s is not known: use text or json".formatted(output));
        }
    }

    private PlacementPolicy chosenPolicy() {
        return Arrays.stream(PlacementPolicy.values())
                .filter(each -> each.text().equals(policy))
                .findFirst()
                .orElseThrow(() -> wrong("--policy %s is not known: use best-fit or first-fit".formatted(policy)));
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** Returns a failed outcome for a missing path, so that the other paths still run and the command fails. */
    private static ScenarioResult missing(String path) {
        return new ScenarioResult(
                path, Optional.of("%s: the path does not exist: name an existing file or directory".formatted(path)));
    }

    private static ScenarioResult outcome(ScenarioReader.ScenarioReadResult read, ScenarioRunner scenarios) {
        return read.scenario()
                .map(scenarios::run)
                .orElseGet(() -> new ScenarioResult(read.name(), Optional.of(read.errorText())));
    }

    private ScenarioResult print(ScenarioResult outcome) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(output.equals("json") ? json(outcome) : text(outcome));
        return outcome;
    }

    private static String text(ScenarioResult outcome) {
        return outcome.difference()
                .map(difference -> "FAILED  %s\n%s"
                        .formatted(outcome.name(), difference.indent(8).stripTrailing()))
                .orElseGet(() -> "passed  " + outcome.name());
    }

    private static String json(ScenarioResult outcome) {
        var line = new JsonLine().text("name", outcome.name()).literal("passed", Boolean.toString(outcome.passed()));
        return outcome.difference()
                .map(difference -> line.text("difference", difference))
                .orElseGet(() -> line.literal("difference", "null"))
                .toString();
    }

    private int printSummary(List<ScenarioResult> outcomes) {
        long passed = outcomes.stream().filter(ScenarioResult::passed).count();
        PrintWriter out = spec.commandLine().getOut();
        if (output.equals("text")) {
            out.println("%d passed, %d failed".formatted(passed, outcomes.size() - passed));
        }
        out.flush();
        if (outcomes.isEmpty()) {
            spec.commandLine()
                    .getErr()
                    .println("claimstream test: there is no file of YAML or JSON in %s%s"
                            .formatted(
                                    String.join(" ", paths),
                                    recursive ? "" : "; directories below it are read with -R"));
        }
        return passed == outcomes.size() && !outcomes.isEmpty() ? ExitCodes.SUCCESS : ExitCodes.FAILED;
    }
}

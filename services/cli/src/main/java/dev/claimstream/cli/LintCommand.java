package dev.claimstream.cli;

import dev.claimstream.cli.input.GateOptions;
import dev.claimstream.cli.output.JsonLine;
import dev.claimstream.lint.LintCoverage;
import dev.claimstream.lint.LintFinding;
import dev.claimstream.lint.LintFixer;
import dev.claimstream.lint.ManifestLinter;
import dev.claimstream.lint.SarifReport;
import dev.claimstream.lint.SourceFiles;
import dev.claimstream.manifests.ManifestFinding;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions.Directories;
import dev.claimstream.manifests.source.SourceText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Lints manifests and optionally fixes them. */
@Command(
        name = "lint",
        mixinStandardHelpOptions = true,
        header = "Find errors in manifests: fields that an API server rejects, and accepted fields that cannot work.",
        description = {
            "",
            "Checks claims, templates, classes, slices and taint rules (resource.k8s.io), pods, and the pods of"
                    + " Deployments, StatefulSets, DaemonSets, ReplicaSets, Jobs, CronJobs, JobSets, LeaderWorkerSets,"
                    + " and of the workloads of Kubeflow, Ray and Volcano. Other kinds are"
                    + " counted on standard error, and not checked. All files are one set, except folders whose"
                    + " ResourceSlices contradict each other. If a set contains ResourceSlices, selectors are"
                    + " evaluated on their devices. Files without Kubernetes objects are skipped, and named on standard error."
                    + " platform/lint/README.md lists the rules.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:no finding, or warnings only", "1:there are findings; with --fix: findings remain"},
        footer = {
            "",
            "Examples:",
            "  claimstream lint deploy/examples/mixed-accelerators",
            "  claimstream lint --fix claims.yaml"
        })
final class LintCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "FILE",
            arity = "0..*",
            description = "A file, a directory or - for standard input, in YAML or JSON.")
    private List<String> paths = new ArrayList<>();

    @Option(
            names = {"-R", "--recursive"},
            description = "Also read subdirectories.")
    private boolean recursive;

    @Option(
            names = "--fix",
            description = "Correct the files where possible, and keep comments and order; the remaining findings are"
                    + " printed. For standard input, the corrected text goes to standard output, the findings to standard"
                    + " error.")
    private boolean fix;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "text (file:line:column: ...), json with a line for each finding, or sarif (2.1.0).")
    private String output;

    @Option(
            names = "--managed",
            paramLabel = "CLASS",
            split = ",",
            description = "DeviceClasses that Claimstream manages: no pod may request their devices"
                    + " as an extended resource, which kube-scheduler would allocate itself.")
    private List<String> managed = new ArrayList<>();

    @Mixin
    private GateOptions gates;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private LintCommand() {}

    @Override
    public Integer call() throws IOException {
        checkOptions();
        ManifestLinter lint = new ManifestLinter(gates.features(spec), Set.copyOf(managed));
        SourceFiles files = SourceFiles.read(paths, recursive ? Directories.RECURSIVE : Directories.FLAT, System.in);
        List<SourceText> sources = fix ? fixed(files.sources()) : files.sources();
        List<LintFinding> found = new ArrayList<>(files.unreadable());
        found.addAll(lint.check(sources));
        PrintWriter report = fix && paths.contains(Manifests.STANDARD_INPUT)
                ? spec.commandLine().getErr()
                : spec.commandLine().getOut();
        report.print(text(found));
        report.flush();
        LintCoverage looked = LintCoverage.of(sources);
        if (found.isEmpty() && looked.checked() == 0 && looked.skipped().isEmpty()) {
            spec.commandLine()
                    .getErr()
                    .println("claimstream lint: there is no object in %s: name files with Kubernetes objects"
                            .formatted(String.join(" ", paths)));
            return ExitCodes.FAILED;
        }
        printSkippedKinds(looked);
        boolean isSound = found.stream().noneMatch(each -> each.finding().isError());
        return isSound ? ExitCodes.SUCCESS : ExitCodes.FAILED;
    }

    /** Prints the files and kinds that lint skips, so that no finding is not read as an approval of them. */
    private void printSkippedKinds(LintCoverage looked) {
        if (!looked.passedOver().isEmpty()) {
            spec.commandLine()
                    .getErr()
                    .println("claimstream lint: no Kubernetes objects, skipped: "
                            + String.join(", ", looked.passedOver()));
        }
        if (!looked.skipped().isEmpty()) {
            spec.commandLine().getErr().println("claimstream lint: " + looked);
        }
    }

    private void checkOptions() {
        if (paths.isEmpty()) {
            throw wrong("missing FILE: name files or directories with Kubernetes objects, or - for standard input");
        }
        if (!List.of("text", "json", "sarif").contains(output)) {
            throw wrong("--output %s is not known: use text, json or sarif".formatted(output));
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private List<SourceText> fixed(List<SourceText> sources) throws IOException {
        List<SourceText> after = new ArrayList<>();
        List<LintFixer.FixResult> results = LintFixer.fixAll(sources);
        for (int i = 0; i < sources.size(); i++) {
            SourceText source = sources.get(i);
            write(source, results.get(i));
            after.add(SourceText.of(source.name(), results.get(i).text()));
        }
        return after;
    }

    private void write(SourceText source, LintFixer.FixResult fixed) throws IOException {
        boolean isStandardInput = source.name().equals(Manifests.STANDARD_INPUT);
        if (isStandardInput) {
            spec.commandLine().getOut().print(fixed.text());
            spec.commandLine().getOut().flush();
        } else if (fixed.isChanged()) {
            Files.writeString(Path.of(source.name()), fixed.text());
        }
        if (fixed.isChanged()) {
            String what = fixed.counts().entrySet().stream()
                    .map(each -> each.getValue() + " " + each.getKey().id())
                    .collect(Collectors.joining(", "));
            spec.commandLine().getErr().println("%s: corrected: %s".formatted(source.name(), what));
        }
    }

    private String text(List<LintFinding> found) {
        return switch (output) {
            case "sarif" -> SarifReport.of(found, version()).indentedJson();
            case "json" -> found.stream().map(each -> json(each) + "\n").collect(Collectors.joining());
            default -> found.stream().map(each -> each + "\n").collect(Collectors.joining());
        };
    }

    private static String version() {
        return Optional.ofNullable(LintCommand.class.getPackage().getImplementationVersion())
                .orElse("0.0.0-dev");
    }

    private static JsonLine json(LintFinding diagnosis) {
        ManifestFinding finding = diagnosis.finding();
        return new JsonLine()
                .text("rule", diagnosis.rule().id())
                .text("file", finding.location().file())
                .literal("line", Integer.toString(finding.location().line()))
                .literal("column", Integer.toString(finding.location().column()))
                .text("field", finding.field())
                .text("value", finding.value())
                .text("message", finding.message())
                .text("remedy", finding.remedy())
                .text("severity", finding.isError() ? "error" : "warning");
    }
}

package dev.claimstream.load.beside;

import dev.claimstream.kubernetes.controlplane.ControlPlaneException;
import dev.claimstream.kubernetes.controlplane.ControlPlaneProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Compares Claimstream, kube-scheduler with its own allocation, and an allocator without decisions, in one run. */
@Command(
        name = "load-tests/beside",
        mixinStandardHelpOptions = true,
        header = "Compares Claimstream with the allocator of kube-scheduler, on control planes of Kubernetes.",
        description = {
            "",
            "Each row is a load for kube-scheduler, next-free (Claimstream's writes without an allocator) and claimstream"
                    + " (`claimstream up --kubeconfig` with deploy/policies), one directly after the other, each on a"
                    + " fresh control plane, after a warm-up with a smaller load. Compare within a row: the machine may"
                    + " be shared. All processes run on this machine; pods are bound, and not run.",
            "",
            "Rows:",
            "  plain-default, plain-all     one device each, with default gates and with every gate of DRA",
            "  plain-qps                    the same with default gates and the QPS of a default installation",
            "  pairs                        two devices of one NUMA node each (matchAttribute)",
            "  partitions-100, -500         partitions as in MIG, on 100 and on 500 nodes; kube-scheduler does not finish on 500",
            "  unfit                        one device each, and pods among them that fit nowhere",
            "  rate                         30 pods a second",
            "",
            "Takes about 25 minutes on two processors, and 4 GB of memory. Needs platform/testbed/build control-plane, once.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every run has figures, even if it misses a goal",
            "1:a run failed, or allocated something twice; the others are complete",
            "2:an option is wrong"
        },
        footer = {
            "",
            "Examples:",
            "  load-tests/beside --small",
            "  load-tests/beside --rows plain-default,plain-all",
            "  load-tests/beside --rows unfit,rate --resume        adds to the rows in --out"
        })
public final class BesideFigures implements Callable<Integer> {
    private static final Duration WARM_LIMIT = Duration.ofSeconds(30);
    private static final Path POLICIES = Path.of("deploy", "policies");

    @Mixin
    private RowOptions choice = new RowOptions();

    @Option(
            names = "--limit",
            paramLabel = "SECONDS",
            defaultValue = "120",
            description =
                    "Time limit for the last pod; then the run is cut, and its rate counts only the pods that were bound. Default: ${DEFAULT-VALUE}.")
    private int limit;

    @Option(names = "--kubelets", description = "Simulate the kubelets, too; their writes are counted.")
    private boolean kubelets;

    @Option(names = "--resume", description = "Keep the earlier rows in --out that are not selected now.")
    private boolean resume;

    @Option(
            names = "--claimstream",
            paramLabel = "FILE",
            description = "The command to start as `FILE up ...`. Default: the launcher claimstream of this tree.")
    private Path launcher = Path.of("claimstream");

    @Option(
            names = "--out",
            paramLabel = "DIR",
            defaultValue = "load-tests/target/figures",
            description =
                    "Folder of beside.txt, beside.svg and beside.jsonl (one line per run, with all measurements). Default: ${DEFAULT-VALUE}.")
    private Path out = Path.of("");

    @Spec
    private CommandSpec spec;

    private int failures;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private BesideFigures() {}

    /** Prints the table and the goals. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Returns the exit code. */
    static int run(String... args) {
        return new CommandLine(new BesideFigures())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(BesideFigures::badArguments)
                .setExecutionExceptionHandler(BesideFigures::broken)
                .execute(args);
    }

    private static int badArguments(ParameterException wrong, String[] args) {
        System.err.println("load-tests/beside: " + wrong.getMessage());
        System.err.println("try: load-tests/beside --help");
        return 2;
    }

    private static int broken(Exception thrown, CommandLine command, CommandLine.ParseResult parsed) {
        System.err.println("load-tests/beside: " + errorText(thrown));
        return 1;
    }

    private static String errorText(Exception thrown) {
        return thrown instanceof ControlPlaneException || thrown.getClass() == IOException.class
                ? String.valueOf(thrown.getMessage())
                : thrown.toString(); // the type says what the message of other exceptions omits
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<ComparisonRow> rows = choice.rows(spec.commandLine());
        if (limit <= 0) {
            throw new ParameterException(
                    spec.commandLine(), "--limit %d: must be a number of seconds above 0".formatted(limit));
        }
        ComparisonRunner runner = contest();
        ComparisonReport report = ComparisonReport.in(
                out, resume, rows.stream().map(ComparisonRow::name).toList());
        for (ComparisonRow row : rows) {
            ComparisonTable.head(row.name(), row.description()).forEach(System.out::println);
            for (MeasuredAllocator allocator : row.allocators()) {
                ComparisonRun run = run(runner, row, allocator);
                System.out.println(ComparisonTable.line(run));
                report.add(run);
            }
        }
        report.footer().forEach(System.out::println);
        return failures == 0 ? 0 : 1;
    }

    private ComparisonRunner contest() {
        ControlPlaneProgram program = ControlPlaneProgram.find()
                .orElseThrow(() -> new ParameterException(spec.commandLine(), ControlPlaneProgram.REMEDY));
        Path policies = findInTree(POLICIES, "change to the folder of Claimstream");
        Path command = Files.isExecutable(launcher.toAbsolutePath())
                ? launcher.toAbsolutePath()
                : findInTree(launcher, "--claimstream names the command to start, which must be executable");
        return new ComparisonRunner(program, command, policies, Duration.ofSeconds(limit), WARM_LIMIT, kubelets);
    }

    private Path findInTree(Path path, String remedy) {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            if (Files.isExecutable(folder.resolve(path))) {
                return folder.resolve(path);
            }
        }
        throw new ParameterException(
                spec.commandLine(), "%s is not in the current folder nor above it: %s".formatted(path, remedy));
    }

    /** Runs one allocator; a failure does not prevent the other runs. */
    private ComparisonRun run(ComparisonRunner runner, ComparisonRow row, MeasuredAllocator allocator)
            throws InterruptedException {
        try {
            RunMeasurement measured = runner.run(row, allocator);
            if (measured.faults() + measured.wronglyBound() > 0) {
                failures++;
            }
            return new ComparisonRun(row, allocator, measured);
        } catch (IOException | RuntimeException e) {
            failures++;
            return new ComparisonRun(row, allocator, new ComparisonRun.FailedRun(errorText(e)));
        }
    }
}

package dev.claimstream.load.services;

import dev.claimstream.kubernetes.controlplane.ControlPlaneException;
import dev.claimstream.kubernetes.controlplane.ControlPlaneProgram;
import dev.claimstream.load.ResultFolderOption;
import dev.claimstream.load.services.FailureRun.FailureResult;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Causes failures under load, and measures the longest pause of each. */
@Command(
        name = "load-tests/failures",
        mixinStandardHelpOptions = true,
        header = "Causes failures under load, and measures the longest pause of each.",
        description = {
            "",
            "Run three broker processes with three replicas of every partition, two processes of each service and an agent beside a control"
                    + " plane of Kubernetes, and create pods at a constant rate. Cause one failure after the other. No claim may be lost, and"
                    + " no device may be allocated twice.",
            "",
            "Columns:",
            "  wait      longest time from the creation of a claim to its write, in seconds; p50 and p99: percentiles of it",
            "  recovery  from the end of the failure until every claim from before its end is written, in seconds",
            "  claims    claims that were created meanwhile",
            "  lost      claims that were not written within four minutes",
            "  409       responses 409 of the API server to changes of claims, of any client",
            "",
            "DISK_FULL and NETWORK_CUT need root. CLOCK_AHEAD needs libfaketime, and CONTROL_PLANE_UPGRADED needs"
                    + " platform/testbed/build control-plane-1.36. TWO_VERSIONS needs --other, or --other-version COMMIT, for which the program"
                    + " builds a commit of this repository. The row of a failure that cannot be caused names what is missing, and the failure counts as not run. Takes"
                    + " about 20 minutes. Needs platform/testbed/build control-plane, once.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every failure that can be caused here has figures",
            "1:a process did not start, or the work did not continue",
            "2:an option is wrong",
            "3:a claim was lost, or a device was allocated twice"
        })
public final class FailureFigures implements Callable<Integer> {
    /** Begin of the row of a failure that cannot be caused here. */
    static final String NOT_RUN = "not run: ";

    private static final int LOST = 3;

    @Option(
            names = "--failures",
            split = ",",
            paramLabel = "NAME",
            description = "Failures, comma-separated: ${COMPLETION-CANDIDATES}. Default: all.")
    private List<InjectedFailure> failures = List.of(InjectedFailure.values());

    @Option(
            names = "--nodes",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Number of nodes with eight devices; no pod is deleted. Default: ${DEFAULT-VALUE}.")
    private int nodes;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "4",
            description = "Pods per second. Default: ${DEFAULT-VALUE}.")
    private int rate;

    @Option(names = "--tls", description = "Connect clients and brokers to brokers with TLS.")
    private boolean tls;

    @Option(
            names = "--small",
            description = "Start one broker and one process each of watcher, allocator and writer, all at once.")
    private boolean small;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "How long each failure lasts. Default: the time in the name of the failure.")
    private Optional<Integer> seconds = Optional.empty();

    @Option(
            names = "--other",
            paramLabel = "FOLDER",
            description = "Jars of another version: services/cli/target of its build.")
    private Optional<ServiceJars> other = Optional.empty();

    @Mixin
    private ResultFolderOption results = new ResultFolderOption();

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private FailureFigures() {}

    /** Prints the table. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Returns the exit code. */
    static int run(String... args) {
        return new CommandLine(new FailureFigures())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .registerConverter(ServiceJars.class, text -> new ServiceJars(Path.of(text)))
                .setExecutionExceptionHandler((thrown, _, _) -> {
                    System.err.println("load-tests/failures: "
                            + (thrown instanceof ControlPlaneException || thrown.getClass() == IOException.class
                                    ? thrown.getMessage()
                                    : thrown.toString()));
                    return 1;
                })
                .execute(args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (nodes < 1 || rate < 1 || seconds.filter(each -> each < 1).isPresent()) {
            throw new ParameterException(spec.commandLine(), "--nodes, --rate and --seconds must be numbers above 0");
        }
        if (other.filter(jars -> !jars.exist()).isPresent()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--other %s: no claimstream-cli-*.jar with a folder lib; build that version"
                            .formatted(other.get().folder()));
        }
        List<String> lines = new ArrayList<>();
        var setup = new FailureSetup(nodes, rate, failures, tls, small, seconds.map(Duration::ofSeconds), other);
        if (setup.devices() < setup.claims()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "%d nodes have %d devices, too few for about %d claims: at least --nodes %d"
                            .formatted(
                                    nodes,
                                    setup.devices(),
                                    setup.claims(),
                                    Math.ceilDiv(setup.claims(), FailureSetup.DEVICES_PER_NODE)));
        }
        if (ControlPlaneProgram.find().isEmpty()) {
            throw new ParameterException(spec.commandLine(), ControlPlaneProgram.REMEDY);
        }
        print(
                lines,
                "%d nodes x %d devices, %d pods per second, brokers: %d%s, times in s"
                        .formatted(
                                nodes, FailureSetup.DEVICES_PER_NODE, rate, setup.brokers(), tls ? " with TLS" : ""));
        print(lines, "    wait     p50     p99  recovery  claims  lost   409  load  failure");
        boolean isComplete = true;
        List<String> conflicts;
        try (var run = FailureRun.start(setup)) {
            for (InjectedFailure failure : failures) {
                String missing = run.missing(failure);
                if (missing.isEmpty()) {
                    FailureResult result = run.measure(failure);
                    isComplete &= result.lost() == 0;
                    print(lines, row(failure, result));
                } else {
                    print(lines, NOT_RUN + "%s. It needs %s.".formatted(failure.text(), missing));
                }
            }
            conflicts = run.conflicts();
        }
        conflicts.forEach(line -> print(lines, line));
        if (conflicts.isEmpty()) {
            print(lines, "no device was allocated twice");
        }
        results.write("failures.txt", lines);
        return isComplete && conflicts.isEmpty() ? 0 : LOST;
    }

    private static String row(InjectedFailure failure, FailureResult result) {
        return String.format(
                Locale.ROOT,
                "%8.1f %7.3f %7.3f %9.1f %7d %5d %5d %5.1f  %s",
                result.longestWait(),
                result.p50(),
                result.p99(),
                result.recovery(),
                result.claims(),
                result.lost(),
                result.conflicts(),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(),
                failure.text());
    }

    private static void print(List<String> lines, String line) {
        System.out.println(line);
        lines.add(line);
    }
}

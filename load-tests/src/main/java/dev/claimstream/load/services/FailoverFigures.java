package dev.claimstream.load.services;

import dev.claimstream.kubernetes.controlplane.ControlPlaneException;
import dev.claimstream.kubernetes.controlplane.ControlPlaneProgram;
import dev.claimstream.load.ResultFolderOption;
import dev.claimstream.load.services.FailoverRun.FailoverTimes;
import dev.claimstream.load.services.ServiceInstance.EndSignal;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures how long the services pause when one process of each ends. */
@Command(
        name = "load-tests/failover",
        mixinStandardHelpOptions = true,
        header = "Measures how long allocation pauses when a process of a service ends.",
        description = {
            "",
            "Run two processes of each service and an agent beside a control plane of Kubernetes, and create four pods per second. End the"
                    + " active process of each role with SIGKILL and with SIGTERM, wait until the work continues, and start the process again."
                    + " History, simulator, shadow, archive and checkpoints have one process, which is started again at once.",
            "",
            "Columns, in seconds, one value per repetition:",
            "  work    from the signal to the next decision about a claim that was created after it. Console: longest time between two"
                    + " answers of the other console. Liveness, agent: until the node of an agent that was killed at the same time is silent"
                    + " (timeout 10 s). History: until it names the holder of a device. Simulator: until it answers a request. Shadow: until"
                    + " it has compared all inputs again. Archive: until its next run is complete. Checkpoints: until another run"
                    + " has published one",
            "  write   from the signal to the next write of such a claim",
            "  wait    longest time from the creation of a claim to its write",
            "  back    from the start of a new process to its readiness. Agent: until its node is no longer silent. Checkpoints: to"
                    + " the end of the run",
            "",
            "Takes about 25 minutes. Needs platform/testbed/build control-plane, once, and for the checkpoints"
                    + " platform/testbed/build object-store.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every role has figures",
            "1:a process did not start, or the work did not continue",
            "2:an option is wrong"
        })
public final class FailoverFigures implements Callable<Integer> {
    @Option(
            names = "--roles",
            split = ",",
            paramLabel = "ROLE",
            description = "Roles, comma-separated: ${COMPLETION-CANDIDATES}. Default: all.")
    private List<ServiceRole> roles = List.of(ServiceRole.values());

    @Option(
            names = "--repetitions",
            paramLabel = "N",
            defaultValue = "3",
            description = "Repetitions of each role and signal. Default: ${DEFAULT-VALUE}.")
    private int repetitions;

    @Option(
            names = "--cells",
            paramLabel = "N",
            defaultValue = "1",
            description = "Number of cells; the router exists with several. Default: ${DEFAULT-VALUE}.")
    private int cells;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            defaultValue = "1000",
            description =
                    "Number of nodes with eight devices; no pod is deleted, so that 1000 last for half an hour. Default: ${DEFAULT-VALUE}.")
    private int nodes;

    @Mixin
    private ResultFolderOption results = new ResultFolderOption();

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private FailoverFigures() {}

    /** Prints the table. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Returns the exit code. */
    static int run(String... args) {
        return new CommandLine(new FailoverFigures())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((thrown, _, _) -> {
                    System.err.println("load-tests/failover: "
                            + (thrown instanceof ControlPlaneException || thrown.getClass() == IOException.class
                                    ? thrown.getMessage()
                                    : thrown.toString()));
                    return 1;
                })
                .execute(args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (repetitions < 1 || cells < 1 || nodes < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--repetitions, --cells and --nodes must be numbers above 0");
        }
        if (ControlPlaneProgram.find().isEmpty()) {
            throw new ParameterException(spec.commandLine(), ControlPlaneProgram.REMEDY);
        }
        if (roles.contains(ServiceRole.CHECKPOINTS) && !CheckpointStore.isBuilt()) {
            throw new ParameterException(spec.commandLine(), CheckpointStore.REMEDY + ": --roles");
        }
        List<String> lines = new ArrayList<>();
        print(lines, "%d nodes x 8 devices, cells: %d, 4 pods per second, times in s".formatted(nodes, cells));
        print(lines, row("role", "signal", "work", "write", "wait", "back", "load"));
        try (var run = FailoverRun.start(nodes, 8, cells, roles)) {
            for (ServiceRole role : roles) {
                if (role.existsWith(cells)) {
                    for (EndSignal signal : EndSignal.values()) {
                        print(lines, measured(run, role, signal));
                    }
                }
            }
        }
        results.write("failover.txt", lines);
        return 0;
    }

    private String measured(FailoverRun run, ServiceRole role, EndSignal signal)
            throws IOException, InterruptedException {
        List<FailoverTimes> times = new ArrayList<>();
        for (int i = 0; i < repetitions; i++) {
            times.add(run.measure(role, signal));
        }
        return row(
                role.text(),
                signal.text(),
                text(times, FailoverTimes::work),
                text(times, FailoverTimes::write),
                text(times, FailoverTimes::longestWait),
                text(times, FailoverTimes::ready),
                String.format(
                        Locale.ROOT,
                        "%.0f",
                        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()));
    }

    private static String text(List<FailoverTimes> times, ToDoubleFunction<FailoverTimes> value) {
        return times.stream()
                .map(each -> String.format(Locale.ROOT, "%.2f", value.applyAsDouble(each)))
                .collect(Collectors.joining(" "));
    }

    private static String row(String... cells) {
        return String.format(Locale.ROOT, "%-12s %-8s %-24s %-24s %-24s %-24s %s", (Object[]) cells);
    }

    private static void print(List<String> lines, String line) {
        System.out.println(line);
        lines.add(line);
    }
}

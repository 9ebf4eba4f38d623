package dev.claimstream.load.services;

import dev.claimstream.kubernetes.controlplane.ControlPlaneException;
import dev.claimstream.kubernetes.controlplane.ControlPlaneProgram;
import dev.claimstream.load.ResultFolderOption;
import dev.claimstream.load.services.ServiceInstance.CommandUse;
import dev.claimstream.load.services.ServiceInstance.EndSignal;
import dev.claimstream.load.services.ServiceInstance.MemoryUse;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures the start and the memory of each service, by the size of the cluster. */
@Command(
        name = "load-tests/footprint",
        mixinStandardHelpOptions = true,
        header = "Measures the start and the memory of each service, by the size of the cluster.",
        description = {
            "",
            "Create nodes with eight devices on a control plane of Kubernetes, start one process of each service, one after the other, and"
                    + " create pods with a claim each. Then restart each service, and sign a checkpoint. The heap of a process is the share"
                    + " of the limit that the chart sets (65 %%; agents 50 %%, history 40 %%). The allocator takes a snapshot every 1,000"
                    + " inputs, and the archive runs every 5 s, so that it archives states.",
            "",
            "Columns:",
            "  first     seconds from the start of the process to its readiness, with empty topics",
            "  again     the same for a restart, with the objects and decisions in the topics",
            "  work      seconds from that restart to the first work of a service that follows the log: the history names the holder"
                    + " of a device, the simulator answers a request, the shadow has compared all inputs, the archive has completed"
                    + " a run. Checkpoints: seconds of a whole run",
            "  peak      largest resident set in MB, of both processes",
            "  resident  resident set in MB at the end",
            "  heap      heap in MB in use after a full collection, at the end",
            "  limit     memory limit in MB; the exit code is 3 if a peak exceeds it",
            "",
            "Needs platform/testbed/build control-plane, once, and for the checkpoints platform/testbed/build object-store.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every service has figures",
            "1:a process did not start, or a pod was not served",
            "2:an option is wrong",
            "3:a service needs more than its limit"
        })
public final class FootprintFigures implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final double MEGABYTES_PER_MEBIBYTE = 1.048576;
    private static final int HEAP_PERCENT = 65;
    private static final Map<String, Integer> OTHER_HEAP_PERCENTS = Map.of("agent", 50, "history", 40);
    private static final List<String> BASE = List.of("allocator", "watcher", "writer", "console", "agent");
    private static final String CHECKPOINTS = "checkpoints";

    private static final String SNAPSHOT_EVERY = "1000";

    /** Three runs of the archive after the last pod is served. */
    private static final Duration SETTLE = ServiceInstallation.ARCHIVE_EVERY.multipliedBy(3);

    private static final Map<String, Integer> CHART_LIMITS = Map.of(
            "allocator",
            1024,
            "watcher",
            512,
            "writer",
            512,
            "console",
            768,
            "agent",
            256,
            "history",
            1536,
            "simulator",
            1024,
            "shadow",
            1024,
            "archive",
            1024,
            CHECKPOINTS,
            512);

    @Option(
            names = "--nodes",
            paramLabel = "N",
            defaultValue = "500",
            description = "Number of nodes with eight devices. Default: ${DEFAULT-VALUE}.")
    private int nodes;

    @Option(
            names = "--pods",
            paramLabel = "N",
            defaultValue = "2000",
            description = "Number of pods. Default: ${DEFAULT-VALUE}.")
    private int pods;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "30",
            description = "Pods per second. Default: ${DEFAULT-VALUE}.")
    private int rate;

    @Option(
            names = "--limits",
            split = ",",
            paramLabel = "SERVICE=MIB",
            description =
                    "Memory limits in MiB. Default: those of the chart, allocator=1024,watcher=512,writer=512,console=768,agent=256,"
                            + "history=1536,simulator=1024,shadow=1024,archive=1024,checkpoints=512.")
    private Map<String, Integer> limits = new LinkedHashMap<>();

    @Option(
            names = "--followers",
            split = ",",
            paramLabel = "NAME",
            description = "Services that follow the log, and the checkpoints. Default: ${DEFAULT-VALUE}.",
            defaultValue = "history,simulator,shadow,archive,checkpoints")
    private List<String> followers = List.of();

    @Mixin
    private ResultFolderOption results = new ResultFolderOption();

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private FootprintFigures() {}

    /** Prints the table. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Returns the exit code. */
    static int run(String... args) {
        return new CommandLine(new FootprintFigures())
                .setExecutionExceptionHandler((thrown, _, _) -> {
                    System.err.println("load-tests/footprint: "
                            + (thrown instanceof ControlPlaneException || thrown.getClass() == IOException.class
                                    ? thrown.getMessage()
                                    : thrown.toString()));
                    return 1;
                })
                .execute(args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        check();
        List<String> lines = new ArrayList<>();
        print(lines, "%d nodes x 8 devices, %d pods at %d per second".formatted(nodes, pods, rate));
        print(lines, row("service", "first", "again", "work", "peak", "resident", "heap", "limit"));
        boolean fits = true;
        try (var installation = ServiceInstallation.start(nodes, 8, 1)) {
            for (ServiceFootprint each : footprints(installation)) {
                print(lines, each.line());
                fits &= each.peak() <= each.limit();
            }
        }
        print(
                lines,
                String.format(
                        Locale.ROOT,
                        "load %.1f",
                        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()));
        results.write("footprint.txt", lines);
        return fits ? 0 : 3;
    }

    private void check() {
        if (nodes < 1 || pods < 1 || rate < 1 || !CHART_LIMITS.keySet().containsAll(limits.keySet())) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--nodes, --pods and --rate must be numbers above 0, and --limits names "
                            + new TreeSet<>(CHART_LIMITS.keySet()));
        }
        for (String each : followers) {
            if (!FollowerServices.NAMES.contains(each) && !each.equals(CHECKPOINTS)) {
                throw new ParameterException(
                        spec.commandLine(),
                        "--followers has %s: use %s and %s"
                                .formatted(each, String.join(", ", FollowerServices.NAMES), CHECKPOINTS));
            }
        }
        if (ControlPlaneProgram.find().isEmpty()) {
            throw new ParameterException(spec.commandLine(), ControlPlaneProgram.REMEDY);
        }
        if (followers.contains(CHECKPOINTS) && !CheckpointStore.isBuilt()) {
            throw new ParameterException(spec.commandLine(), CheckpointStore.REMEDY + ": --followers");
        }
    }

    private List<ServiceFootprint> footprints(ServiceInstallation installation)
            throws IOException, InterruptedException {
        List<String> followed =
                followers.stream().filter(FollowerServices.NAMES::contains).toList();
        List<String> names = Stream.concat(BASE.stream(), followed.stream()).toList();
        Map<String, Duration> first = new LinkedHashMap<>();
        for (String name : names) {
            first.put(name, start(installation, name));
        }
        List<ServiceFootprint> all = new ArrayList<>();
        try (var traffic = new ClaimTraffic(installation, rate)) {
            awaitServed(traffic);
            var follower = new FollowerServices(installation, traffic.allocatedDevice());
            for (String name : followed) {
                long unused = follower.awaitWork(name + "-0");
            }
            TimeUnit.MILLISECONDS.sleep(SETTLE.toMillis());
            Map<String, MemoryUse> before = new LinkedHashMap<>();
            for (String name : names) {
                before.put(name, installation.get(name + "-0").memory());
            }
            for (String name : names) {
                installation.get(name + "-0").end(EndSignal.TERMINATE);
                installation.get(name + "-0").awaitEnd();
                long at = System.nanoTime();
                Duration again = start(installation, name);
                Duration work = followed.contains(name)
                        ? Duration.ofNanos(follower.awaitWork(name + "-0") - at)
                        : Duration.ZERO;
                all.add(new ServiceFootprint(
                        name,
                        first.getOrDefault(name, Duration.ZERO),
                        again,
                        work,
                        memory(before, installation, name),
                        limit(name)));
            }
        }
        if (followers.contains(CHECKPOINTS)) {
            all.add(checkpoint(installation));
        }
        return all;
    }

    /** Returns the memory of the first process, with the larger peak of both. */
    private static MemoryUse memory(Map<String, MemoryUse> before, ServiceInstallation installation, String name)
            throws IOException, InterruptedException {
        MemoryUse now = installation.get(name + "-0").memory();
        MemoryUse old = before.getOrDefault(name, now);
        return new MemoryUse(old.resident(), Math.max(old.peak(), now.peak()), old.heap());
    }

    private ServiceFootprint checkpoint(ServiceInstallation installation) throws IOException, InterruptedException {
        try (var store = CheckpointStore.start(installation.folder())) {
            CommandUse use =
                    installation.startCheckpoint(options(CHECKPOINTS), store).awaitSuccess();
            return new ServiceFootprint(
                    CHECKPOINTS,
                    Duration.ZERO,
                    Duration.ZERO,
                    use.time(),
                    new MemoryUse(0, use.peak(), 0),
                    limit(CHECKPOINTS));
        }
    }

    private Duration start(ServiceInstallation installation, String name) throws IOException, InterruptedException {
        Map<String, String> environment =
                name.equals("allocator") ? Map.of("CLAIMSTREAM_ALLOCATOR_SNAPSHOT_EVERY", SNAPSHOT_EVERY) : Map.of();
        return installation
                .start(name + "-0", options(name), List.of(), environment)
                .awaitReady();
    }

    private List<String> options(String name) {
        return List.of(
                "-XX:MaxRAM=%dm".formatted(mebibytes(name)),
                "-XX:MaxRAMPercentage=" + OTHER_HEAP_PERCENTS.getOrDefault(name, HEAP_PERCENT));
    }

    private int mebibytes(String name) {
        return limits.getOrDefault(name, CHART_LIMITS.getOrDefault(name, 0));
    }

    private long limit(String name) {
        return (long) (mebibytes(name) * MEGABYTES_PER_MEBIBYTE);
    }

    /** Waits until all pods are served. */
    private void awaitServed(ClaimTraffic traffic) throws IOException, InterruptedException {
        long limit = System.nanoTime() + PATIENCE.toNanos();
        while (traffic.count() < pods || traffic.unwritten() > 0) {
            if (traffic.count() >= pods) {
                traffic.stopCreating();
            }
            if (System.nanoTime() > limit) {
                throw new IOException("%d of %d claims were not written within %s"
                        .formatted(traffic.unwritten(), traffic.count(), PATIENCE));
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    /**
     * The figures of one service.
     *
     * @param work zero for a service that does not follow the log
     * @param memory with 0 for each figure that was not measured
     * @param limit in MB
     */
    private record ServiceFootprint(
            String name, Duration first, Duration again, Duration work, MemoryUse memory, long limit) {
        long peak() {
            return memory.peak();
        }

        String line() {
            return row(
                    name,
                    seconds(first),
                    seconds(again),
                    seconds(work),
                    megabytes(memory.peak()),
                    megabytes(memory.resident()),
                    megabytes(memory.heap()),
                    megabytes(limit));
        }

        private static String seconds(Duration time) {
            return time.isZero() ? "-" : String.format(Locale.ROOT, "%.1f", time.toMillis() / 1000.0);
        }

        private static String megabytes(long value) {
            return value == 0 ? "-" : Long.toString(value);
        }
    }

    private static String row(String... cells) {
        return String.format(Locale.ROOT, "%-12s %8s %8s %8s %8s %9s %8s %8s", (Object[]) cells);
    }

    private static void print(List<String> lines, String line) {
        System.out.println(line);
        lines.add(line);
    }
}

package dev.claimstream.load.services;

import dev.claimstream.kubernetes.controlplane.ControlPlaneException;
import dev.claimstream.kubernetes.controlplane.ControlPlaneProgram;
import dev.claimstream.load.ResultFolderOption;
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
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
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
                    + " create pods with a claim each. Then restart each service. The heap of a process is the share of the limit that the"
                    + " chart sets (65 %%; agents 50 %%).",
            "",
            "Columns:",
            "  first     seconds from the start of the process to its readiness, with empty topics",
            "  again     the same for a restart, with the objects and decisions in the topics",
            "  peak      largest resident set in MB, of both processes",
            "  resident  resident set in MB at the end",
            "  heap      heap in MB in use after a full collection, at the end",
            "  limit     memory limit in MB; the exit code is 3 if a peak exceeds it",
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
    private static final int HEAP_PERCENT_AGENT = 50;

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
                    "Memory limits in MiB. Default: those of the chart, allocator=1024,watcher=512,writer=512,console=768,agent=256.")
    private Map<String, Integer> limits = new LinkedHashMap<>();

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
        Map<String, Integer> all = new LinkedHashMap<>(
                Map.of("allocator", 1024, "watcher", 512, "writer", 512, "console", 768, "agent", 256));
        if (nodes < 1 || pods < 1 || rate < 1 || !all.keySet().containsAll(limits.keySet())) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--nodes, --pods and --rate must be numbers above 0, and --limits names " + all.keySet());
        }
        if (ControlPlaneProgram.find().isEmpty()) {
            throw new ParameterException(spec.commandLine(), ControlPlaneProgram.REMEDY);
        }
        all.putAll(limits);
        List<String> lines = new ArrayList<>();
        print(lines, "%d nodes x 8 devices, %d pods at %d per second".formatted(nodes, pods, rate));
        print(lines, row("service", "first", "again", "peak", "resident", "heap", "limit"));
        boolean fits = true;
        try (var installation = ServiceInstallation.start(nodes, 8, 1)) {
            for (ServiceFootprint each : footprints(installation, all)) {
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

    private List<ServiceFootprint> footprints(ServiceInstallation installation, Map<String, Integer> limits)
            throws IOException, InterruptedException {
        List<String> names = List.of("allocator", "watcher", "writer", "console", "agent");
        Map<String, Duration> first = new LinkedHashMap<>();
        for (String name : names) {
            first.put(name, start(installation, name, limits));
        }
        Map<String, MemoryUse> before = new LinkedHashMap<>();
        try (var traffic = new ClaimTraffic(installation, rate)) {
            awaitServed(traffic, names, installation, before);
            Map<String, Duration> again = new LinkedHashMap<>();
            for (String name : names) {
                installation.get(name + "-0").end(EndSignal.TERMINATE);
                installation.get(name + "-0").awaitEnd();
                again.put(name, start(installation, name, limits));
            }
            List<ServiceFootprint> all = new ArrayList<>();
            for (String name : names) {
                MemoryUse old = before.getOrDefault(name, new MemoryUse(0, 0, 0));
                MemoryUse now = installation.get(name + "-0").memory();
                all.add(new ServiceFootprint(
                        name,
                        first.getOrDefault(name, Duration.ZERO),
                        again.getOrDefault(name, Duration.ZERO),
                        Math.max(old.peak(), now.peak()),
                        old.resident(),
                        old.heap(),
                        (long) (limits.getOrDefault(name, 0) * MEGABYTES_PER_MEBIBYTE)));
            }
            return all;
        }
    }

    private static Duration start(ServiceInstallation installation, String name, Map<String, Integer> limits)
            throws IOException, InterruptedException {
        int percent = name.equals("agent") ? HEAP_PERCENT_AGENT : HEAP_PERCENT;
        int limit = limits.getOrDefault(name, 0);
        return installation
                .start(name + "-0", List.of("-XX:MaxRAM=%dm".formatted(limit), "-XX:MaxRAMPercentage=" + percent))
                .awaitReady();
    }

    /** Waits until all pods are served, and measures the memory then. */
    private void awaitServed(
            ClaimTraffic traffic, List<String> names, ServiceInstallation installation, Map<String, MemoryUse> memory)
            throws IOException, InterruptedException {
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
        for (String name : names) {
            memory.put(name, installation.get(name + "-0").memory());
        }
    }

    /** The figures of one service; memory in MB. */
    private record ServiceFootprint(
            String name, Duration first, Duration again, long peak, long resident, long heap, long limit) {
        String line() {
            return row(
                    name,
                    seconds(first),
                    seconds(again),
                    Long.toString(peak),
                    Long.toString(resident),
                    Long.toString(heap),
                    Long.toString(limit));
        }

        private static String seconds(Duration time) {
            return String.format(Locale.ROOT, "%.1f", time.toMillis() / 1000.0);
        }
    }

    private static String row(String... cells) {
        return String.format(Locale.ROOT, "%-10s %8s %8s %8s %9s %8s %8s", (Object[]) cells);
    }

    private static void print(List<String> lines, String line) {
        System.out.println(line);
        lines.add(line);
    }
}

package dev.claimstream.load;

import dev.claimstream.load.RestartedProcess.Milestone;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures the time from the start of a process to its first decision, by allocated devices. */
@Command(
        name = "load-tests/restart",
        mixinStandardHelpOptions = true,
        header = "Measures the time from the start of a process to its first decision, by allocated devices.",
        description = {
            "",
            "Fill a process with broker, registry and allocator, end it, and start it again on its folder: after a clean end,"
                    + " after SIGKILL during 100 claims a second, with a snapshot after every input, with state of another release, with state in another"
                    + " format, which the allocator rebuilds from the public topics."
                    + " Seconds count from the start of the JVM; CPU s is the processor time of the process until its first"
                    + " decision, which depends less on other programs. The process uses a start-up cache of an earlier start,"
                    + " as the launcher does; --cold: without.",
            ""
        })
public final class RestartFigures implements Callable<Integer> {
    private static final int DEVICES_PER_NODE = 8;
    private static final Duration UNDER_TRAFFIC = Duration.ofSeconds(3);
    private static final List<String> PARTS = List.of("JVM, broker, registry", "cells", "first decision");

    @Option(
            names = "--held",
            split = ",",
            paramLabel = "N",
            defaultValue = "100000,500000",
            description = "Allocated devices, comma-separated. Default: ${DEFAULT-VALUE}.")
    private List<Integer> helds = List.of();

    @Option(
            names = "--full",
            paramLabel = "PERCENT",
            defaultValue = "70",
            description = "Allocated part of all devices. Default: ${DEFAULT-VALUE}.")
    private int full;

    @Option(
            names = "--kills",
            paramLabel = "N",
            defaultValue = "2",
            description = "Number of starts after SIGKILL. Default: ${DEFAULT-VALUE}.")
    private int kills;

    @Option(names = "--cold", description = "Without a start-up cache.")
    private boolean isCold;

    @Mixin
    private ResultFolderOption results = new ResultFolderOption();

    private final List<RestartMeasurement> rows = new ArrayList<>();
    private final List<String> lines = new ArrayList<>(List.of(head()));

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private RestartFigures() {}

    /** Prints the table. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Returns the exit code. */
    static int run(String... args) {
        return new CommandLine(new RestartFigures()).execute(args);
    }

    private record RestartMeasurement(
            int allocated, int devices, String startedAfter, List<Double> seconds, String cpu, String heap) {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        System.out.println(head());
        for (int held : helds) {
            Path folder = Files.createTempDirectory("claimstream-restart");
            try {
                measure(folder, held);
            } finally {
                TemporaryFolders.delete(folder);
            }
        }
        return 0;
    }

    private void measure(Path folder, int held) throws IOException, InterruptedException {
        int nodes = (int) Math.ceilDiv(held * 100L, (long) full * DEVICES_PER_NODE);
        var fleet = new GpuFleet(nodes, DEVICES_PER_NODE);
        try (var first = RestartedProcess.filled(folder, fleet, held)) {
            first.await(Milestone.DECIDED);
            first.end();
        }
        List<String> cache = isCold ? List.of() : trained(folder);
        String before = "a clean end";
        for (int i = 0; i <= kills; i++) {
            try (var next = RestartedProcess.again(folder, cache)) {
                add(held, fleet, before, next);
                Thread.sleep(UNDER_TRAFFIC);
                if (i < kills) {
                    next.kill();
                    before = "SIGKILL";
                } else {
                    next.end();
                }
            }
        }
        try (var snapshots = RestartedProcess.withSnapshots(folder, cache)) {
            add(held, fleet, "a clean end, snapshots", snapshots);
            add("the hash in a snapshot: " + snapshots.textOf(Milestone.SNAPSHOT));
            snapshots.end();
        }
        try (var change = RestartedProcess.changingEngine(folder, cache)) {
            change.end();
        }
        try (var next = RestartedProcess.again(folder, cache)) {
            add(held, fleet, "a changed engine", next);
            next.end();
        }
        try (var change = RestartedProcess.changingFormat(folder, cache)) {
            change.end();
        }
        try (var rebuilt = RestartedProcess.again(folder, cache)) {
            add(held, fleet, "changed format, rebuilt", rebuilt);
            rebuilt.end();
        }
    }

    /** Starts the process once to create the start-up cache. */
    private static List<String> trained(Path folder) throws IOException, InterruptedException {
        Path cache = folder.resolve("start-up.aot");
        try (var first = RestartedProcess.training(folder, cache)) {
            first.await(Milestone.DECIDED);
            first.end();
        } catch (IllegalStateException e) {
            throw new IllegalStateException("no start-up cache could be made; --cold measures without one", e);
        }
        return List.of("-XX:AOTMode=on", "-XX:AOTCache=" + cache);
    }

    /** Adds a row and writes all results so far, because all runs together take long. */
    private void add(int held, GpuFleet fleet, String after, RestartedProcess process)
            throws IOException, InterruptedException {
        double broker = process.await(Milestone.BROKER);
        double cells = process.await(Milestone.CELLS);
        double decided = process.await(Milestone.DECIDED);
        List<Double> seconds = List.of(broker, cells - broker, decided - cells);
        var row = new RestartMeasurement(
                held, fleet.size(), after, seconds, process.textOf(Milestone.CPU), process.textOf(Milestone.HEAP));
        rows.add(row);
        add(text(row));
    }

    private void add(String line) throws IOException {
        lines.add(line);
        System.out.println(line);
        write();
    }

    private static String head() {
        return String.format(
                Locale.ROOT,
                "%10s %10s %-22s %12s %10s %18s %10s %10s %6s",
                "allocated",
                "devices",
                "started after",
                "broker s",
                "cells s",
                "first decision s",
                "CPU s",
                "heap MB",
                "load");
    }

    private static String text(RestartMeasurement row) {
        double broker = row.seconds().get(0);
        double cells = broker + row.seconds().get(1);
        return String.format(
                Locale.ROOT,
                "%10d %10d %-22s %12.1f %10.1f %18.1f %10s %10s %6.1f",
                row.allocated(),
                row.devices(),
                row.startedAfter(),
                broker,
                cells,
                cells + row.seconds().get(2),
                row.cpu(),
                row.heap(),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    private void write() throws IOException {
        results.write("restart.txt", lines);
        List<BarPicture.Bar> bars = rows.stream()
                .map(row -> new BarPicture.Bar(
                        String.format(Locale.ROOT, "%,d allocated, after %s", row.allocated(), row.startedAfter()),
                        row.seconds()))
                .toList();
        results.write(
                "restart.svg", BarPicture.of("From the start of the process to its first decision", "s", PARTS, bars));
    }
}

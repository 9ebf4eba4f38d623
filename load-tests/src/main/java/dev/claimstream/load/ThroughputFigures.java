package dev.claimstream.load;

import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.load.streams.CellThreadMetrics;
import dev.claimstream.load.streams.CpuUse;
import dev.claimstream.load.streams.EmbeddedSystem;
import dev.claimstream.load.streams.LoadGenerator;
import dev.claimstream.load.streams.LoadProfile;
import dev.claimstream.load.streams.LoadResult;
import dev.claimstream.load.streams.NoProgressException;
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
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures the claims per second and the latency from a claim's record to its decision. */
@Command(
        name = "load-tests/throughput",
        mixinStandardHelpOptions = true,
        header = "Measures claims per second and latency of the whole system in one JVM: broker, allocator, generator.",
        description = {
            "",
            "Fill a cluster, then create and delete claims at each rate: every claim is allocated, deleted and released. Latency of a"
                    + " decision is the time from the due creation of a claim until its committed decision is read; latency of"
                    + " a release starts at the deletion of the claim.",
            "",
            "Brokers, generator and all allocators share the processors of this machine. With few processors, more cells, threads"
                    + " or instances only add work.",
            "",
            "A rate is not sustained if a claim is in flight for longer than --behind. Then no more claims are sent, the row covers"
                    + " the time until then, and the line below says so. Such a row shows the growth of the backlog, not the speed of the system.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:every rate was sustained", "1:an error", "2:wrong arguments", "3:a rate was not sustained"})
public final class ThroughputFigures implements Callable<Integer> {
    private static final int NOT_HELD = 3;

    @Option(
            names = "--rate",
            split = ",",
            paramLabel = "N",
            defaultValue = "100,1000,0",
            description = "Claims per second, comma-separated; 0: flat out. Default: ${DEFAULT-VALUE}.")
    private List<Integer> rates = List.of();

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "20",
            description = "Duration of the measurement of each rate. Default: ${DEFAULT-VALUE}.")
    private int seconds;

    @Option(
            names = "--warm",
            paramLabel = "N",
            defaultValue = "20",
            description =
                    "Warm-up in seconds, flat out; then a quarter of it at every rate, before its measurement. Default: ${DEFAULT-VALUE}.")
    private int warm;

    @Option(
            names = "--under-way",
            paramLabel = "N",
            defaultValue = "256",
            description = "Flat out: claims in flight, from record to release. Default: ${DEFAULT-VALUE}.")
    private int underWay;

    @Option(
            names = "--behind",
            paramLabel = "N",
            defaultValue = "10",
            description =
                    "A rate is not sustained once a claim is in flight for this many seconds. Default: ${DEFAULT-VALUE}.")
    private int behind;

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "500", description = "Default: ${DEFAULT-VALUE}.")
    private int nodes;

    @Option(
            names = "--devices",
            paramLabel = "N",
            defaultValue = "8",
            description = "Devices of a node. Default: ${DEFAULT-VALUE}.")
    private int devices;

    @Option(
            names = "--full",
            paramLabel = "PERCENT",
            defaultValue = "70",
            description = "Devices allocated to other claims. Default: ${DEFAULT-VALUE}.")
    private int full;

    @Option(
            names = "--sizes",
            split = ",",
            paramLabel = "N",
            defaultValue = "1,2,1,4,1,8",
            description = "Devices of the claims, in turn. Default: ${DEFAULT-VALUE}.")
    private List<Integer> sizes = List.of();

    @Option(
            names = "--beside",
            split = ",",
            paramLabel = "CLAIMS",
            defaultValue = "NONE",
            description = {
                "Costly claims of another namespace during the measurement: ${COMPLETION-CANDIDATES}."
                        + " Comma-separated. Default: ${DEFAULT-VALUE}."
            })
    private List<CostlyClaims> beside = List.of();

    @Option(names = "--cells", paramLabel = "N", defaultValue = "1", description = "Default: ${DEFAULT-VALUE}.")
    private int cells;

    @Option(
            names = "--instances",
            paramLabel = "N",
            defaultValue = "1",
            description = "Allocators, which share the cells. Default: ${DEFAULT-VALUE}.")
    private int instances;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "1",
            description = "Threads of each allocator, which share its cells. Default: ${DEFAULT-VALUE}.")
    private int threads;

    @Option(
            names = "--brokers",
            paramLabel = "N",
            defaultValue = "1",
            description = "Brokers; every partition is on all of them. Default: ${DEFAULT-VALUE}.")
    private int brokers;

    @Mixin
    private ResultFolderOption results = new ResultFolderOption();

    private final List<MeasuredPace> measuredPaces = new ArrayList<>();

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private ThroughputFigures() {}

    /** Prints the tables. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Returns the exit code. */
    static int run(String... args) {
        return new CommandLine(new ThroughputFigures()).execute(args);
    }

    @Override
    public Integer call() throws IOException {
        if (instances < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--instances %d decide nothing: use 1 or more".formatted(instances));
        }
        Path folder = Files.createTempDirectory("claimstream-throughput");
        try {
            return exitCode(folder);
        } finally {
            TemporaryFolders.delete(folder);
        }
    }

    private int exitCode(Path folder) throws IOException {
        boolean isHeld = true;
        try {
            measure(folder);
        } catch (NoProgressException e) {
            System.err.println(e.getMessage() + "; the remaining rates are skipped");
            isHeld = false;
        }
        write();
        return isHeld
                        && measuredPaces.stream()
                                .allMatch(each -> each.round().overload().isEmpty())
                ? 0
                : NOT_HELD;
    }

    private void measure(Path folder) {
        var fleet = new GpuFleet(nodes, devices);
        try (var site = EmbeddedSystem.start(folder, cells, brokers);
                var _ = site.allocators(EmbeddedSystem.StartMode.RESUME, instances, threads);
                var traffic = new LoadGenerator(site, sizes).withOverloadLimit(Duration.ofSeconds(behind))) {
            site.publish(fleet);
            traffic.fill((long) fleet.size() * full / 100);
            var unused = traffic.run(new LoadProfile.ClosedLoop(underWay), Duration.ZERO, Duration.ofSeconds(warm));
            System.out.println(head());
            for (CostlyClaims costly : beside) {
                List<ResourceClaim> sent = traffic.send(CostlyClaims.NAMESPACE, costly.specs());
                rates.forEach(rate -> measure(traffic, costly, rate));
                traffic.delete(sent);
            }
        }
    }

    private void measure(LoadGenerator traffic, CostlyClaims costly, int rate) {
        LoadProfile pace = rate == 0 ? new LoadProfile.ClosedLoop(underWay) : new LoadProfile.ConstantRate(rate);
        LoadResult round = traffic.run(pace, Duration.ofSeconds(warm / 4), Duration.ofSeconds(seconds));
        var measured = new MeasuredPace(costly, round);
        measured.lines().forEach(System.out::println);
        CellThreadMetrics.lines().forEach(line -> System.out.println("           " + line));
        measuredPaces.add(measured);
    }

    /** @param beside the costly claims at the same time */
    private record MeasuredPace(CostlyClaims beside, LoadResult round) {
        List<String> lines() {
            List<String> lines = new ArrayList<>(List.of(row(round), shares(round)));
            if (beside != CostlyClaims.NONE) {
                lines.add("           beside: " + beside.text());
            }
            round.overload().ifPresent(each -> lines.add("           " + each.text()));
            return lines;
        }

        LatencyPicture.LatencyCurve line() {
            var latencies = round.latencies();
            String name = round.pace().text();
            return new LatencyPicture.LatencyCurve(
                    beside == CostlyClaims.NONE ? name : name + " beside " + beside.text(),
                    latencies.count(),
                    latencies::dueMs);
        }
    }

    private static String head() {
        return String.format(
                Locale.ROOT,
                "%-10s %10s %8s %8s %8s %8s %22s %18s %8s %12s %8s %6s",
                "pace",
                "claims/s",
                "p50 ms",
                "p99 ms",
                "p99.9",
                "max ms",
                "since append p50/99/max",
                "release p50/99/max",
                "CPUs",
                "CPU µs/claim",
                "waited",
                "load");
    }

    private static String row(LoadResult round) {
        var latencies = round.latencies();
        return String.format(
                Locale.ROOT,
                "%-10s %10.0f %8.2f %8.2f %8.2f %8.1f %22s %18s %8.2f %12.1f %8d %6.1f",
                round.pace().text(),
                round.perSecond(),
                latencies.dueMs(50),
                latencies.dueMs(99),
                latencies.dueMs(99.9),
                latencies.dueMs(100),
                "%d/%d/%d".formatted(latencies.appendMs(50), latencies.appendMs(99), latencies.appendMs(100)),
                "%.0f/%.0f/%.0f".formatted(latencies.releaseMs(50), latencies.releaseMs(99), latencies.releaseMs(100)),
                round.processors(),
                round.cpuMicrosPerClaim(),
                round.pending(),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    private static String shares(LoadResult round) {
        var line = new StringBuilder("           CPU:");
        for (CpuUse.CpuConsumer part : CpuUse.CpuConsumer.values()) {
            line.append(" %s %.0f %%,".formatted(part.text(), 100 * round.cpu().share(part)));
        }
        return line.substring(0, line.length() - 1);
    }

    private void write() throws IOException {
        List<String> lines = new ArrayList<>(List.of(head()));
        measuredPaces.forEach(each -> lines.addAll(each.lines()));
        results.write("throughput.txt", lines);
        if (measuredPaces.isEmpty()) {
            return;
        }
        String title =
                "%d nodes x %d GPUs, %d %% full, %d cells on %d x %d threads, %d brokers: from claim record to decision record"
                        .formatted(nodes, devices, full, cells, instances, threads, brokers);
        results.write(
                "throughput.svg",
                LatencyPicture.of(
                        title,
                        0.5,
                        measuredPaces.stream().map(MeasuredPace::line).toList()));
    }
}

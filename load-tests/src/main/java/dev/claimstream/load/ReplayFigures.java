package dev.claimstream.load;

import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.Archiver;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.FolderStore;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.streams.CandidateReplay;
import dev.claimstream.audit.streams.CandidateReport;
import dev.claimstream.audit.streams.LogReplay;
import dev.claimstream.audit.streams.LogReplay.ReplayReport;
import dev.claimstream.load.streams.PodRecording;
import dev.claimstream.selectors.CelSelectors;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures verification and replay of an archive. */
@Command(
        name = "load-tests/replay",
        mixinStandardHelpOptions = true,
        header = "Measures how fast an archive is written, verified and replayed.",
        description = {
            "",
            "Record pods with one GPU each, nine inputs per pod, as the allocator records them. Write them to an archive. Then"
                    + " verify and replay the archive, including the decoding, several times in one JVM, and compare it with a"
                    + " candidate of the same settings.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every replay equals the ledger, and every claim is placed alike",
            "1:an error",
            "2:wrong arguments",
            "3:a replay diverges, or a claim is placed elsewhere"
        })
public final class ReplayFigures implements Callable<Integer> {
    private static final int DIVERGED = 3;

    @Option(names = "--pods", paramLabel = "N", defaultValue = "30000", description = "Default: ${DEFAULT-VALUE}.")
    private int pods;

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "500", description = "Default: ${DEFAULT-VALUE}.")
    private int nodes;

    @Option(
            names = "--devices",
            paramLabel = "N",
            defaultValue = "8",
            description = "Devices of a node. Default: ${DEFAULT-VALUE}.")
    private int devices;

    @Option(
            names = "--repeats",
            paramLabel = "N",
            defaultValue = "3",
            description = "Number of replays; the first one includes the start of the code. Default: ${DEFAULT-VALUE}.")
    private int repeats;

    @Option(
            names = "--archive",
            paramLabel = "DIR",
            description = "Keep the archive in this folder. Default: a temporary folder.")
    private Optional<Path> archive = Optional.empty();

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private ReplayFigures() {}

    /** Prints the table. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Returns the exit code. */
    static int run(String... args) {
        return new CommandLine(new ReplayFigures()).execute(args);
    }

    @Override
    public Integer call() throws IOException {
        if (archive.isPresent()) {
            return measure(archive.get());
        }
        Path folder = Files.createTempDirectory("claimstream-replay");
        try {
            return measure(folder);
        } finally {
            TemporaryFolders.delete(folder);
        }
    }

    private int measure(Path folder) {
        record(folder);
        boolean isEqual = true;
        for (int i = 0; i < repeats; i++) {
            try (var log = new ArchiveLog(folder)) {
                Stopwatch begin = Stopwatch.start();
                long events = LogVerifier.verify(log, LogVerifier.TimeRange.ALL).events();
                print("verify", "events", events, begin);
            }
            try (var log = new ArchiveLog(folder)) {
                Stopwatch begin = Stopwatch.start();
                ReplayReport report = new LogReplay(log, new CelSelectors()).run();
                print("replay", "inputs", report.inputs(), begin);
                report.divergence().ifPresent(System.out::println);
                isEqual &= report.divergence().isEmpty();
            }
        }
        return isEqual && isPlacedAlike(folder) ? 0 : DIVERGED;
    }

    /** Compares the record with a candidate of the same settings. */
    private static boolean isPlacedAlike(Path folder) {
        try (var log = new ArchiveLog(folder)) {
            Stopwatch begin = Stopwatch.start();
            CandidateReport report = new CandidateReplay(
                            log, new CelSelectors(), LogVerifier.TimeRange.ALL, UnaryOperator.identity())
                    .run();
            print("compare", "inputs", report.inputs(), begin);
            System.out.println("%d of %d claims placed alike"
                    .formatted(report.outcomes().same(), report.outcomes().claims()));
            return report.outcomes().same() == report.outcomes().claims();
        }
    }

    /** The begin of a measurement, in nanoseconds. */
    private record Stopwatch(long wall, long cpu) {
        static Stopwatch start() {
            return new Stopwatch(System.nanoTime(), ReplayFigures.cpu());
        }
    }

    private static long cpu() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getProcessCpuTime()
                : 0;
    }

    private static void warn(String message) {
        System.err.println(message);
    }

    private void record(Path folder) {
        try (AuditLog log = PodRecording.of(new GpuFleet(nodes, devices), pods);
                var archiver = new Archiver(
                        log,
                        new FolderStore(folder),
                        Archiver.SegmentLimits.DEFAULT,
                        "recording",
                        ReplayFigures::warn)) {
            Stopwatch begin = Stopwatch.start();
            Archiver.ArchiveSummary summary = archiver.run();
            print("archive", "records", summary.records(), begin);
            System.out.println("%d bytes in %d segments".formatted(summary.bytes(), summary.segments()));
        }
    }

    /** Prints wall time and CPU time: the machine is shared. */
    private static void print(String what, String unit, long count, Stopwatch begin) {
        double seconds = (System.nanoTime() - begin.wall()) / 1e9;
        double cpuSeconds = (cpu() - begin.cpu()) / 1e9;
        System.out.println(String.format(
                Locale.ROOT,
                "%-8s %,9d %s in %6.2f s: %,9.0f %s/s, CPU %5.1f µs each (load %.1f)",
                what,
                count,
                unit,
                seconds,
                count / seconds,
                unit,
                1e6 * cpuSeconds / count,
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()));
    }
}

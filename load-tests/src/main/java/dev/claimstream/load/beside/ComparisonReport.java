package dev.claimstream.load.beside;

import dev.claimstream.load.BarPicture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The results so far. The files are rewritten after each run, because all runs together take long. */
final class ComparisonReport {
    private static final String LINES = "beside.jsonl";

    private final Path out;
    private final List<ComparisonRun> runs;

    private ComparisonReport(Path out, List<ComparisonRun> runs) {
        this.out = out;
        this.runs = runs;
    }

    /**
     * Opens the report in a folder.
     *
     * @param resume whether to keep the folder's rows that are not run again
     * @param again the rows that are run again
     * @throws IOException if the folder cannot be written or contains other data
     */
    static ComparisonReport in(Path out, boolean resume, List<String> again) throws IOException {
        Files.createDirectories(out);
        List<ComparisonRun> runs = new ArrayList<>();
        Path lines = out.resolve(LINES);
        if (resume && Files.exists(lines)) {
            for (String line : Files.readAllLines(lines)) {
                runs.add(read(lines, line));
            }
            runs.removeIf(run -> again.contains(run.row()));
        }
        return new ComparisonReport(out, runs);
    }

    private static ComparisonRun read(Path file, String line) throws IOException {
        try {
            return ComparisonRun.read(line);
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "%s is not what this program writes: remove it, or leave --resume out (%s)"
                            .formatted(file, e.getMessage()),
                    e);
        }
    }

    void add(ComparisonRun run) throws IOException {
        runs.add(run);
        Files.write(out.resolve(LINES), runs.stream().map(ComparisonRun::line).toList());
        Files.write(out.resolve("beside.txt"), lines());
        Files.writeString(
                out.resolve("beside.svg"),
                BarPicture.of(
                        "Pods per second, by row and allocator",
                        "pods/s",
                        Arrays.stream(MeasuredAllocator.values())
                                .map(MeasuredAllocator::text)
                                .toList(),
                        runs.stream().map(ComparisonReport::bar).toList()));
    }

    private static BarPicture.Bar bar(ComparisonRun run) {
        double rate = run.measured().map(RunMeasurement::podsPerSecond).orElse(0.0);
        String cut = run.measured()
                .filter(RunMeasurement::isTimedOut)
                .map(_ -> " (cut)")
                .orElse("");
        return new BarPicture.Bar(
                run.row() + ", " + run.allocator() + cut,
                Arrays.stream(MeasuredAllocator.values())
                        .map(who -> who == run.allocator() ? rate : 0.0)
                        .toList());
    }

    private List<String> lines() {
        List<String> lines = new ArrayList<>();
        String row = "";
        for (ComparisonRun run : runs) {
            if (!run.row().equals(row)) {
                lines.addAll(ComparisonTable.head(run.row(), run.description()));
                row = run.row();
            }
            lines.add(ComparisonTable.line(run));
        }
        lines.addAll(footer());
        return lines;
    }

    /** Returns the lines below the runs. */
    List<String> footer() {
        List<String> lines = new ArrayList<>(List.of(""));
        lines.addAll(ComparisonTable.LEGEND);
        lines.addAll(List.of("", "Goals:"));
        lines.addAll(PerformanceGoals.lines(runs));
        return lines;
    }
}

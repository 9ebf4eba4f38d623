package dev.claimstream.load.beside;

import dev.claimstream.load.BarPicture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The results so far. The files are rewritten after each run, because all runs together take long. */
final class Report {
    private static final String LINES = "beside.jsonl";

    private final Path out;
    private final List<Run> runs;

    private Report(Path out, List<Run> runs) {
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
    static Report in(Path out, boolean resume, List<String> again) throws IOException {
        Files.createDirectories(out);
        List<Run> runs = new ArrayList<>();
        Path lines = out.resolve(LINES);
        if (resume && Files.exists(lines)) {
            for (String line : Files.readAllLines(lines)) {
                runs.add(read(lines, line));
            }
            runs.removeIf(run -> again.contains(run.row()));
        }
        return new Report(out, runs);
    }

    private static Run read(Path file, String line) throws IOException {
        try {
            return Run.read(line);
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "%s is not what this program writes: remove it, or leave --resume out (%s)"
                            .formatted(file, e.getMessage()),
                    e);
        }
    }

    void add(Run run) throws IOException {
        runs.add(run);
        Files.write(out.resolve(LINES), runs.stream().map(Run::line).toList());
        Files.write(out.resolve("beside.txt"), lines());
        Files.writeString(
                out.resolve("beside.svg"),
                BarPicture.of(
                        "Pods a second, by row and by who allocates",
                        "pods/s",
                        Arrays.stream(Who.values()).map(Who::text).toList(),
                        runs.stream().map(Report::bar).toList()));
    }

    private static BarPicture.Bar bar(Run run) {
        double rate = run.measured().map(Measured::podsPerSecond).orElse(0.0);
        String cut = run.measured().filter(Measured::isCut).map(_ -> " (cut)").orElse("");
        return new BarPicture.Bar(
                run.row() + ", " + run.who() + cut,
                Arrays.stream(Who.values())
                        .map(who -> who == run.who() ? rate : 0.0)
                        .toList());
    }

    private List<String> lines() {
        List<String> lines = new ArrayList<>();
        String row = "";
        for (Run run : runs) {
            if (!run.row().equals(row)) {
                lines.addAll(Table.head(run.row(), run.says()));
                row = run.row();
            }
            lines.add(Table.line(run));
        }
        lines.addAll(ending());
        return lines;
    }

    /** Returns the lines below the runs. */
    List<String> ending() {
        List<String> lines = new ArrayList<>(List.of(""));
        lines.addAll(Table.LEGEND);
        lines.addAll(List.of("", "Goals:"));
        lines.addAll(Goals.lines(runs));
        return lines;
    }
}

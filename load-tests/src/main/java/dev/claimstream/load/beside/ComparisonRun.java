package dev.claimstream.load.beside;

import dev.claimstream.manifests.tree.Tree;
import java.util.Arrays;
import java.util.Optional;

/**
 * The result of one allocator in one row.
 *
 * @param row the name of the row
 * @param description the description of the row
 * @param isGoalConfiguration whether the row has the configuration that the goals refer to
 */
record ComparisonRun(
        String row, String description, boolean isGoalConfiguration, MeasuredAllocator allocator, RunOutcome result) {
    /** The outcome of a run. */
    sealed interface RunOutcome permits FailedRun, RunMeasurement {}

    /** The run failed. */
    record FailedRun(String reason) implements RunOutcome {}

    ComparisonRun(ComparisonRow row, MeasuredAllocator allocator, RunOutcome result) {
        this(row.name(), row.description(), row.isGoalConfiguration(), allocator, result);
    }

    /** Returns the measurement unless the run failed. */
    Optional<RunMeasurement> measured() {
        return switch (result) {
            case RunMeasurement measured -> Optional.of(measured);
            case FailedRun _ -> Optional.empty();
        };
    }

    /** Returns a line for {@link #read}. */
    String line() {
        return Tree.mapping(fields -> {
                    fields.put("row", row)
                            .put("says", description)
                            .put("goals", Tree.of(isGoalConfiguration))
                            .put("who", allocator.text());
                    switch (result) {
                        case FailedRun failed -> fields.put("failed", failed.reason());
                        case RunMeasurement measured ->
                            fields.put("faults", measured.faults())
                                    .put("loadAverage", new Tree.Numeral(Double.toString(measured.loadAverage())))
                                    .put("measured", measured.line().tree());
                    }
                })
                .json();
    }

    /** @throws IllegalArgumentException if the line was not written by this program */
    static ComparisonRun read(String text) {
        JsonResultLine line = JsonResultLine.of(text);
        RunOutcome result = line.at("measured")
                .<RunOutcome>map(measured ->
                        new RunMeasurement(measured, line.number("loadAverage"), (long) line.number("faults")))
                .orElseGet(() -> new FailedRun(line.text("failed")));
        MeasuredAllocator who = Arrays.stream(MeasuredAllocator.values())
                .filter(each -> each.text().equals(line.text("who")))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no allocator in " + text));
        boolean isOfGoals = line.at("goals")
                .map(JsonResultLine::tree)
                .orElse(Tree.of(false))
                .equals(Tree.of(true));
        return new ComparisonRun(line.text("row"), line.text("says"), isOfGoals, who, result);
    }
}

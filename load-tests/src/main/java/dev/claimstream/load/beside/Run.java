package dev.claimstream.load.beside;

import dev.claimstream.manifests.tree.Tree;
import java.util.Arrays;
import java.util.Optional;

/**
 * The result of one allocator in one row.
 *
 * @param row the name of the row
 * @param says the description of the row
 * @param isOfGoals whether the row has the configuration that the goals refer to
 */
record Run(String row, String says, boolean isOfGoals, Who who, Result result) {
    /** The outcome of a run. */
    sealed interface Result permits Failed, Measured {}

    /** The run failed. */
    record Failed(String why) implements Result {}

    Run(Row row, Who who, Result result) {
        this(row.name(), row.says(), row.isOfGoals(), who, result);
    }

    /** Returns the measurement unless the run failed. */
    Optional<Measured> measured() {
        return switch (result) {
            case Measured measured -> Optional.of(measured);
            case Failed _ -> Optional.empty();
        };
    }

    /** Returns a line for {@link #read}. */
    String line() {
        return Tree.mapping(fields -> {
                    fields.put("row", row)
                            .put("says", says)
                            .put("goals", Tree.of(isOfGoals))
                            .put("who", who.text());
                    switch (result) {
                        case Failed failed -> fields.put("failed", failed.why());
                        case Measured measured ->
                            fields.put("faults", measured.faults())
                                    .put("loadAverage", new Tree.Numeral(Double.toString(measured.loadAverage())))
                                    .put("measured", measured.line().tree());
                    }
                })
                .json();
    }

    /** @throws IllegalArgumentException if the line was not written by this program */
    static Run read(String text) {
        Line line = Line.of(text);
        Result result = line.at("measured")
                .<Result>map(
                        measured -> new Measured(measured, line.number("loadAverage"), (long) line.number("faults")))
                .orElseGet(() -> new Failed(line.text("failed")));
        Who who = Arrays.stream(Who.values())
                .filter(each -> each.text().equals(line.text("who")))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("who allocated is not said in " + text));
        boolean isOfGoals =
                line.at("goals").map(Line::tree).orElse(Tree.of(false)).equals(Tree.of(true));
        return new Run(line.text("row"), line.text("says"), isOfGoals, who, result);
    }
}

package dev.claimstream.simulator;

import dev.claimstream.allocation.cell.Cell;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;

/** Access to the state of a cell, for one caller at a time. */
interface CellAccess {
    /**
     * A cell and its last input.
     *
     * @param at time of the input
     * @param offset of the input in {@code cells.in}
     */
    record CellAtInput(Cell cell, Instant at, long offset) {}

    /** Uses the state; empty before the log was read to its end for the first time. */
    <T> Optional<T> read(Function<CellAtInput, T> use);

    /** Why the state is not up to date; empty if it is. */
    Optional<String> trouble();
}

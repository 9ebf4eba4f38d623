package dev.claimstream.simulation;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.State;
import java.time.Instant;

/**
 * A cell and its last input.
 *
 * @param at time of the input
 * @param offset of the input in {@code cells.in}; -1 without a log
 */
public record SimulatedCell(Cell cell, Instant at, long offset) {
    State state() {
        return cell.state();
    }

    int index() {
        return state().identity().index();
    }
}

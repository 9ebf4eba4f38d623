package dev.claimstream.simulator;

import dev.claimstream.simulation.SimulatedCell;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Access to the states of all cells, for one caller at a time. */
public interface CellAccess {
    /** Uses the states, by index of the cell; empty before the log was read to its end for the first time. */
    <T> Optional<T> read(Function<List<SimulatedCell>, T> use);

    /** Why the states are not up to date; empty if they are. */
    Optional<String> problem();
}

package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/** A record of the router: an observation for cells, an output like that of a cell, or a placement. */
public sealed interface RouterOutput {
    /** An observation for some cells. */
    record CellObservation(SortedSet<Integer> cells, Observation observation) implements RouterOutput {
        public CellObservation {
            cells = Collections.unmodifiableSortedSet(new TreeSet<>(cells));
        }
    }

    /** An output that a single cell would produce itself: a decision, an explanation or an answer. */
    record PublicOutput(Output output) implements RouterOutput {}

    /** The assignment of a node to a cell, for {@code placement.v1}. */
    record NodePlacement(String node, int cell) implements RouterOutput {}
}

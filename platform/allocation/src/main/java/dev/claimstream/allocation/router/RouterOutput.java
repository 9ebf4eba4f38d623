package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/** An output of the router. */
public sealed interface RouterOutput {
    /** An observation for some cells. */
    record ToCells(SortedSet<Integer> cells, Observation observation) implements RouterOutput {
        public ToCells {
            cells = Collections.unmodifiableSortedSet(new TreeSet<>(cells));
        }
    }

    /** An output that a single cell would produce itself: a decision, an explanation or an answer. */
    record Said(Output output) implements RouterOutput {}

    /** The assignment of a node to a cell, for {@code placement.v1}. */
    record Placed(String node, int cell) implements RouterOutput {}
}

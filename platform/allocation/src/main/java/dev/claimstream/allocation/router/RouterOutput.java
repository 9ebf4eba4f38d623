package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/** What goes out of the router. */
public sealed interface RouterOutput {
    /** An observation for these cells. */
    record ToCells(SortedSet<Integer> cells, Observation observation) implements RouterOutput {
        public ToCells {
            cells = Collections.unmodifiableSortedSet(new TreeSet<>(cells));
        }
    }

    /** What a cell would say as well. */
    record Said(Output output) implements RouterOutput {}

    /** For {@code placement.v1}. */
    record Placed(String node, int cell) implements RouterOutput {}
}

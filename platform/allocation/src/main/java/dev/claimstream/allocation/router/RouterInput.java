package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Verdict;
import java.time.Instant;

/**
 * One record of the router's ordered input.
 *
 * @param offset the offset in {@code router.in}
 * @param at the time at which the record was written
 */
public record RouterInput(long offset, Instant at, What what) {
    /** The content of an input. */
    public sealed interface What {
        /** An observation from the public topics. */
        record Seen(Observation observation) implements What {}

        /**
         * A report of a cell.
         *
         * @param free the number of free devices in the cell at that time; -1 if unknown
         */
        record Said(int cell, Verdict verdict, long free) implements What {}

        /** The cell of a node before the router lost its state. Part of a rebuild. */
        record Placed(String node, int cell) implements What {}

        /**
         * A decision that a cell or the router made before the router lost its state. Part of a rebuild.
         *
         * <p>The cell restores its own decisions independently.
         */
        record Restored(int cell, Decision decision) implements What {}
    }
}

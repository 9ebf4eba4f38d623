package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Verdict;
import java.time.Instant;

/**
 * One record of the router's ordered input.
 *
 * @param at when it was written to the log
 */
public record RouterInput(long offset, Instant at, What what) {
    /** What comes in. */
    public sealed interface What {
        /** An observation of the world. */
        record Seen(Observation observation) implements What {}

        /**
         * A cell says something.
         *
         * @param free how many of its devices nobody held then; -1 where it did not say
         */
        record Said(int cell, Verdict verdict, long free) implements What {}

        /** Where a node was before the state of the router was lost. */
        record Placed(String node, int cell) implements What {}

        /** What a cell, or the router, has answered before its state was lost. The cell is told by itself. */
        record Restored(int cell, Decision decision) implements What {}
    }
}

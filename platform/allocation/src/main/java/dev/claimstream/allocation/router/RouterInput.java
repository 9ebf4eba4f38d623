package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.CellReport;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Observation;
import java.time.Instant;

/**
 * One record of the router's ordered input.
 *
 * @param offset the offset in {@code router.in}
 * @param at the time at which the record was written
 */
public record RouterInput(long offset, Instant at, RouterEvent event) {
    /** The content of an input. */
    public sealed interface RouterEvent {
        /** An observation from the public topics. */
        record ObservationInput(Observation observation) implements RouterEvent {}

        /**
         * A report of a cell.
         *
         * @param free the number of free devices in the cell at that time; -1 if unknown
         */
        record ReportInput(int cell, CellReport report, long free) implements RouterEvent {}

        /** The cell of a node before the router lost its state. Part of a rebuild. */
        record RestoredPlacement(String node, int cell) implements RouterEvent {}

        /**
         * A decision that a cell or the router made before the router lost its state. Part of a rebuild.
         *
         * <p>The cell restores its own decisions independently.
         */
        record RestoredDecision(int cell, Decision decision) implements RouterEvent {}
    }
}

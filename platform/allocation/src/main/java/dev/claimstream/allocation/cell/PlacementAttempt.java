package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.ItemShape;
import dev.claimstream.allocation.solver.WorkMeter;

/**
 * An attempt to place a pending item.
 *
 * @param ready the assembled item
 * @param stepsMax search budget per node, in steps
 * @param meter charges the work
 */
record PlacementAttempt(SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready, long stepsMax, WorkMeter meter) {
    ItemShape shape() {
        return ready.shape();
    }

    /** The same attempt for another assembly of the item. */
    PlacementAttempt with(WorkItemAssembly.Ready other) {
        return new PlacementAttempt(row, other, stepsMax, meter);
    }
}

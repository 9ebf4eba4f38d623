package dev.claimstream.simulation;

import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.ItemOutcome;
import java.util.List;
import java.util.Map;

/**
 * The effects of one trial.
 *
 * @param others items that neither the request nor a drain names, and whose state differs
 * @param cells of several cells, the one that allocated an item
 */
record TrialOutcome(
        List<ItemOutcome> requested,
        List<ItemOutcome> evicted,
        List<ItemId> withoutClaims,
        List<ItemOutcome> others,
        FleetUsage after,
        boolean isComplete,
        Map<ItemId, Integer> cells) {}

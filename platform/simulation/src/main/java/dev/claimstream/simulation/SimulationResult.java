package dev.claimstream.simulation;

import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.ItemOutcome;
import dev.claimstream.allocation.solver.PlacementPolicy;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What would happen if the changes of a request were made.
 *
 * @param at time of the last input of the state
 * @param offset of this input in {@code cells.in}; -1 without a log
 * @param requested the items of the objects of the request, in their order
 * @param evicted the items of drained nodes, in queue order
 * @param others items that were pending before and would be allocated, and the other way round
 * @param withoutClaims pods of the request that need no claim
 * @param shapes what would fit with one more node of each shape; empty unless requested
 * @param isComplete whether all work was done within the limit; otherwise pending items may fit
 * @param cells of several cells, each with its part of the fleet before the changes; empty with one cell
 * @param allocatingCells of several cells, the one that allocated an item
 */
public record SimulationResult(
        Instant at,
        long offset,
        PlacementPolicy policy,
        List<ItemOutcome> requested,
        List<ItemOutcome> evicted,
        List<ItemOutcome> others,
        List<ItemId> withoutClaims,
        List<ShapeFit> shapes,
        FleetUsage before,
        FleetUsage after,
        boolean isComplete,
        List<CellShare> cells,
        Map<ItemId, Integer> allocatingCells) {
    public SimulationResult {
        requested = List.copyOf(requested);
        evicted = List.copyOf(evicted);
        others = List.copyOf(others);
        withoutClaims = List.copyOf(withoutClaims);
        shapes = List.copyOf(shapes);
        cells = List.copyOf(cells);
        allocatingCells = Map.copyOf(allocatingCells);
    }

    /** Returns a builder of the complete result of a simulation without items. */
    public static SimulationResultBuilder builder(
            Instant at, long offset, PlacementPolicy policy, FleetUsage before, FleetUsage after) {
        return new SimulationResultBuilder(at, offset, policy, before, after);
    }

    /** Returns a builder with the components of this record. */
    public SimulationResultBuilder toBuilder() {
        return builder(at, offset, policy, before, after)
                .requested(requested)
                .evicted(evicted)
                .others(others)
                .withoutClaims(withoutClaims)
                .shapes(shapes)
                .isComplete(isComplete)
                .cells(cells)
                .allocatingCells(allocatingCells);
    }

    /**
     * The part of a fleet that one of several cells owns.
     *
     * @param at time of its last input
     * @param offset of this input in its partition of {@code cells.in}
     */
    public record CellShare(int cell, Instant at, long offset, FleetUsage usage) {}

    /**
     * The pending items of a request that would fit with one more node of a shape.
     *
     * @param shape instance type, or the name of a node like it
     * @param node the node that is copied
     */
    public record ShapeFit(String shape, String node, List<ItemId> fits) {
        public ShapeFit {
            fits = List.copyOf(fits);
        }
    }

    /** Whether every item of the request and of drained nodes is allocated. */
    public boolean fits() {
        return requested.stream().allMatch(ItemOutcome::isAllocated)
                && evicted.stream().allMatch(ItemOutcome::isAllocated);
    }
}

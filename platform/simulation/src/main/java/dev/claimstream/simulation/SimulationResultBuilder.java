package dev.claimstream.simulation;

import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.ItemOutcome;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.simulation.SimulationResult.CellShare;
import dev.claimstream.simulation.SimulationResult.ShapeFit;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Sets the fields of a simulation result by name. Not thread-safe. */
public final class SimulationResultBuilder {
    private final Instant at;
    private final long offset;
    private final PlacementPolicy policy;
    private List<ItemOutcome> requested = List.of();
    private List<ItemOutcome> evicted = List.of();
    private List<ItemOutcome> others = List.of();
    private List<ItemId> withoutClaims = List.of();
    private List<ShapeFit> shapes = List.of();
    private final FleetUsage before;
    private final FleetUsage after;
    private boolean isComplete = true;
    private List<CellShare> cells = List.of();
    private Map<ItemId, Integer> allocatingCells = Map.of();

    SimulationResultBuilder(Instant at, long offset, PlacementPolicy policy, FleetUsage before, FleetUsage after) {
        this.at = at;
        this.offset = offset;
        this.policy = policy;
        this.before = before;
        this.after = after;
    }

    public SimulationResultBuilder requested(List<ItemOutcome> value) {
        requested = value;
        return this;
    }

    public SimulationResultBuilder evicted(List<ItemOutcome> value) {
        evicted = value;
        return this;
    }

    public SimulationResultBuilder others(List<ItemOutcome> value) {
        others = value;
        return this;
    }

    public SimulationResultBuilder withoutClaims(List<ItemId> value) {
        withoutClaims = value;
        return this;
    }

    public SimulationResultBuilder shapes(List<ShapeFit> value) {
        shapes = value;
        return this;
    }

    public SimulationResultBuilder isComplete(boolean value) {
        isComplete = value;
        return this;
    }

    public SimulationResultBuilder cells(List<CellShare> value) {
        cells = value;
        return this;
    }

    public SimulationResultBuilder allocatingCells(Map<ItemId, Integer> value) {
        allocatingCells = value;
        return this;
    }

    /** Creates the result. */
    public SimulationResult build() {
        return new SimulationResult(
                at,
                offset,
                policy,
                requested,
                evicted,
                others,
                withoutClaims,
                shapes,
                before,
                after,
                isComplete,
                cells,
                allocatingCells);
    }
}

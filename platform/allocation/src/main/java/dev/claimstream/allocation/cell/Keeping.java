package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.allocation.solver.Planner;
import dev.claimstream.allocation.solver.Reason;
import java.util.Optional;

/**
 * Keeps a node for the oldest item that waits for devices in use, once enough younger items have been served past it. Nobody younger
 * gets anything on that node, so that it empties for the item.
 */
final class Keeping {
    /** One node in so many may be kept, and one in any case. */
    private static final int NODES_PER_KEPT = 10;

    private final State state;

    Keeping(State state) {
        this.state = state;
    }

    Optional<Fact> earmark() {
        if (state.earmarks().size() > state.inventory().nodes().size() / NODES_PER_KEPT) {
            return Optional.empty();
        }
        for (ItemId item : state.waiting().values()) {
            Row.ItemRow row = state.item(item).orElseThrow();
            if (row.reason().equals(Optional.of(Reason.DevicesInUse))) {
                return isOvertaken(row) ? kept(row) : Optional.empty();
            }
        }
        return Optional.empty();
    }

    private boolean isOvertaken(Row.ItemRow row) {
        return row.earmark().isEmpty()
                && state.count().grants() - row.waitingFrom()
                        >= state.settings().overtakenMax();
    }

    private Optional<Fact> kept(Row.ItemRow row) {
        if (!(Assembly.of(state, row.item()) instanceof Assembly.Ready ready)) {
            return Optional.empty();
        }
        var terms = new Planner.Terms(
                state.settings().policy(),
                state.settings().searchStepsMax(),
                node -> !state.earmarks().containsKey(node.name()));
        return state.planner().plan(ready.shape(), terms) instanceof Plan.Unplaced unplaced
                ? unplaced.diagnosis()
                        .nearest()
                        .filter(nearest -> !state.earmarks().containsKey(nearest.node()))
                        .map(nearest -> new Fact.Put(new Row.ItemRow(
                                row.item(),
                                row.uid(),
                                row.rank(),
                                row.reason(),
                                row.message(),
                                row.waitingFrom(),
                                Optional.of(nearest.node()),
                                row.thorough())))
                : Optional.empty();
    }
}

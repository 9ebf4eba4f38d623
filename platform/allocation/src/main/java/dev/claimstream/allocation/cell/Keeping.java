package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.NodeView;
import dev.claimstream.allocation.solver.ItemShape;
import dev.claimstream.allocation.solver.NodeRules;
import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.allocation.solver.Planner;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.allocation.solver.ShareNames;
import dev.claimstream.allocation.solver.WorkMeter;
import dev.claimstream.dra.NodeSelector;
import java.util.List;
import java.util.Optional;

/**
 * Keeps a node for the oldest item that waits for devices in use, once enough younger items have been served past it. Nobody younger
 * gets anything on that node that the item could take, so that the node empties for it.
 */
final class Keeping {
    /** One node in so many may be kept, and one in any case. */
    private static final int NODES_PER_KEPT = 10;

    private final State state;
    private final WorkMeter meter;

    /** @param meter counts the work for {@link #earmark} */
    Keeping(State state, WorkMeter meter) {
        this.state = state;
        this.meter = meter;
    }

    /** A node for the first in the queue that waits for devices in use, or another node where the one that it has does not help. */
    Optional<Fact> earmark() {
        return state.queue()
                .first(Reason.forHolders())
                .flatMap(state::item)
                .filter(this::isOvertaken)
                .flatMap(this::keptFor);
    }

    /** Whether an item may take devices of a node: it is not kept for an older one, or that one is after other devices. */
    boolean isOpen(NodeView node, Rank rank, ItemShape shape) {
        Rank keptFor = state.earmarks().get(node.name());
        return keptFor == null || keptFor.compareTo(rank) >= 0 || !contends(keptFor.item(), shape, node);
    }

    /** Whether a node is kept for an item that would fit there now, of which the router has been told. */
    boolean isOffered(NodeView node) {
        Rank keptFor = state.earmarks().get(node.name());
        return keptFor != null && Lending.isOffered(state, keptFor.item());
    }

    private boolean contends(ItemId older, ItemShape shape, NodeView node) {
        return !(Assembly.of(state, older) instanceof Assembly.Ready ready)
                || state.planner().contend(ready.shape(), shape, node);
    }

    private boolean isOvertaken(Row.ItemRow row) {
        return state.count().grants() - row.waitingFrom() >= state.settings().overtakenMax();
    }

    private Optional<Fact> keptFor(Row.ItemRow row) {
        if (!(Assembly.of(state, row.item()) instanceof Assembly.Ready ready)) {
            return Optional.empty();
        }
        boolean isServed = row.earmark()
                .map(node -> helps(ready, node))
                .orElse(state.earmarks().size() > state.inventory().nodes().size() / NODES_PER_KEPT);
        return isServed ? Optional.empty() : nearest(ready).map(node -> new Fact.Put(row.keeping(node)));
    }

    private Optional<String> nearest(Assembly.Ready ready) {
        return diagnosis(ready.shape())
                .flatMap(Plan.Diagnosis::nearest)
                .map(Plan.NearestMiss::node)
                .filter(node -> !state.earmarks().containsKey(node));
    }

    /** Whether a node would still do, once it is empty. */
    private boolean helps(Assembly.Ready ready, String node) {
        NodeRules alone = ready.rules().with(List.of(NodeSelector.ofNode(node)));
        return diagnosis(new ItemShape(ready.shape().specs(), alone, ready.accounting()))
                .map(found -> found.reason().isForHolders())
                .orElse(true);
    }

    private Optional<Plan.Diagnosis> diagnosis(ItemShape shape) {
        var terms = new Planner.Terms(
                state.settings().policy(),
                state.settings().searchStepsMax(),
                node -> true,
                ShareNames.ofPlaces(),
                meter);
        return state.planner().plan(shape, terms) instanceof Plan.Unplaced unplaced
                ? Optional.of(unplaced.diagnosis())
                : Optional.empty();
    }
}

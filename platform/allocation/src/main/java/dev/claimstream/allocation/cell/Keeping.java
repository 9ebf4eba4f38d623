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
 * Prevents starvation: earmarks a node for the oldest item that waits for devices in use.
 *
 * <p>An item gets an earmark after enough younger items have overtaken it. Younger items may then not take devices of
 * that node that the item could use, so the node drains for it.
 */
final class Keeping {
    /** At most one node in this many is earmarked, but at least one. */
    private static final int NODES_PER_KEPT = 10;

    private final State state;
    private final WorkMeter meter;

    /** @param meter charges the work of {@link #earmark} */
    Keeping(State state, WorkMeter meter) {
        this.state = state;
        this.meter = meter;
    }

    /** Earmarks a node for the first such item, or another node if its present one cannot help it. */
    Optional<Fact> earmark() {
        return state.queue()
                .first(Reason.forHolders())
                .flatMap(state::item)
                .filter(this::isOvertaken)
                .flatMap(this::keptFor);
    }

    /**
     * Whether an item may take devices of a node.
     *
     * <p>It may not if an older item has the node earmarked and needs the same devices.
     */
    boolean isOpen(NodeView node, Rank rank, ItemShape shape) {
        Rank keptFor = state.earmarks().get(node.name());
        return keptFor == null || keptFor.compareTo(rank) >= 0 || !contends(keptFor.item(), shape, node);
    }

    /** Whether a node is earmarked for an item with an open offer. */
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

    /** Whether the item would fit on the node once it is drained. */
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

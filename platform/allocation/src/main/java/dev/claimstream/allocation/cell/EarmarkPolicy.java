package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.AllocationPlanner;
import dev.claimstream.allocation.solver.ItemShape;
import dev.claimstream.allocation.solver.NodeRules;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.allocation.solver.ShareIds;
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
final class EarmarkPolicy {
    /** At most one node in this many is earmarked, but at least one. */
    private static final int NODES_PER_EARMARK = 10;

    private final State state;
    private final WorkMeter meter;

    /** @param meter charges the work of {@link #earmark} */
    EarmarkPolicy(State state, WorkMeter meter) {
        this.state = state;
        this.meter = meter;
    }

    /** Earmarks a node for the first such item, or another node if its present one cannot help it. */
    Optional<Fact> earmark() {
        return state.queue()
                .first(Reason.resolvedByDeallocation())
                .flatMap(state::item)
                .filter(this::isOvertaken)
                .flatMap(this::newEarmark);
    }

    /**
     * Whether an item may take devices of a node.
     *
     * <p>It may not if an older item has the node earmarked and needs the same devices.
     */
    boolean mayUse(NodeDeviceView node, Rank rank, ItemShape shape) {
        Rank owner = state.earmarks().get(node.name());
        return owner == null || owner.compareTo(rank) >= 0 || !contends(owner.item(), shape, node);
    }

    /** Whether a node is earmarked for an item with an open offer. */
    boolean isOffered(NodeDeviceView node) {
        Rank owner = state.earmarks().get(node.name());
        return owner != null && state.coordination().isOffered(owner.item());
    }

    private boolean contends(ItemId older, ItemShape shape, NodeDeviceView node) {
        return !(WorkItemAssembly.of(state, older) instanceof WorkItemAssembly.Ready ready)
                || state.planner().isContended(ready.shape(), shape, node);
    }

    private boolean isOvertaken(SchedulingRow.ItemRow row) {
        return state.count().allocations() - row.allocationsBefore()
                >= state.settings().overtakenMax();
    }

    private Optional<Fact> newEarmark(SchedulingRow.ItemRow row) {
        if (!(WorkItemAssembly.of(state, row.item()) instanceof WorkItemAssembly.Ready ready)) {
            return Optional.empty();
        }
        boolean isServed = row.earmark()
                .map(node -> isUseful(ready, node))
                .orElse(state.earmarks().size() > state.inventory().nodes().size() / NODES_PER_EARMARK);
        return isServed ? Optional.empty() : nearest(ready).map(node -> new Fact.Put(row.withEarmark(node)));
    }

    private Optional<String> nearest(WorkItemAssembly.Ready ready) {
        return diagnosis(ready.shape())
                .flatMap(AllocationPlan.PendingDiagnosis::nearest)
                .map(AllocationPlan.NearestNode::node)
                .filter(node -> !state.earmarks().containsKey(node));
    }

    /** Whether the item would fit on the node once it is drained. */
    private boolean isUseful(WorkItemAssembly.Ready ready, String node) {
        NodeRules alone = ready.rules().with(List.of(NodeSelector.ofNode(node)));
        return diagnosis(new ItemShape(ready.shape().specs(), alone, ready.accounting()))
                .map(found -> found.reason().isResolvedByDeallocation())
                .orElse(true);
    }

    private Optional<AllocationPlan.PendingDiagnosis> diagnosis(ItemShape shape) {
        var terms = new AllocationPlanner.PlanOptions(
                state.settings().policy(),
                state.settings().searchStepsMax(),
                node -> true,
                ShareIds.fromClaimIndexes(),
                meter);
        return state.planner().plan(shape, terms) instanceof AllocationPlan.Pending unplaced
                ? Optional.of(unplaced.diagnosis())
                : Optional.empty();
    }
}

package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.NodeView;
import dev.claimstream.allocation.solver.ItemShape;
import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.allocation.solver.Planner;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds a node for a pod on which kube-scheduler can evict pods of lower priority.
 *
 * <p>kube-scheduler evicts only on the node that the pod is bound to, so the pod must be gated and its devices must
 * belong to one node. Victims keep their own devices until they are deleted.
 *
 * <p>Nodes are preferred by the lowest priority of the most important victim, as in kube-scheduler.
 */
final class Preemption {
    private final State state;
    private final Pod pod;
    private final Assembly.Ready ready;
    private long steps;

    private Preemption(State state, Pod pod, Assembly.Ready ready) {
        this.state = state;
        this.pod = pod;
        this.ready = ready;
    }

    /** For a gated pod that may preempt. Empty with several cells: pods of other cells are unknown. */
    static Optional<Preemption> of(State state, ItemId item, Assembly.Ready ready) {
        return item.sort() == ItemId.Sort.POD
                        && state.settings().preemption()
                        && state.place().isAlone()
                ? state.pod(item.key())
                        .filter(pod -> pod.isGated()
                                && pod.mayPreempt()
                                && pod.nodeName().isEmpty())
                        .map(pod -> new Preemption(state, pod, ready))
                : Optional.empty();
    }

    /** Pods below this priority may be evicted. */
    int priority() {
        return pod.priority();
    }

    /** Plans with evictions. Returns the given plan with added steps if no eviction helps. */
    Plan instead(Plan.Unplaced unplaced, Planner.Terms terms) {
        steps = unplaced.steps();
        List<Integer> levels = state.charges().byPriority().below(pod.priority());
        Optional<Plan.Placed> best = levels.isEmpty() ? Optional.empty() : plan(levels.getLast(), terms);
        int low = 0;
        int high = levels.size() - 1;
        while (best.isPresent() && low < high) {
            int middle = (low + high) >>> 1;
            Optional<Plan.Placed> other = plan(levels.get(middle), terms);
            if (other.isPresent()) {
                best = other;
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        int level = high;
        return best.filter(this::isBound)
                .map(placed -> because(placed, levels.get(level)))
                .orElseGet(() -> unplaced.after(steps));
    }

    private Optional<Plan.Placed> plan(int level, Planner.Terms terms) {
        ItemShape shape = ready.shape();
        Plan plan =
                state.planner().plan(shape.withoutRequests(), terms.where(node -> hasRoomWithout(level, node, shape)));
        steps += plan.steps();
        return plan instanceof Plan.Placed placed ? Optional.of(placed) : Optional.empty();
    }

    private boolean hasRoomWithout(int level, NodeView node, ItemShape shape) {
        return node.hasRoomBeside(
                state.charges().byPriority().upTo(level, node.name()),
                shape.rules().requests());
    }

    /**
     * Whether all devices belong to one node and use no node-allocatable resources, which preemption does not account
     * for.
     */
    private boolean isBound(Plan.Placed placed) {
        return Stream.concat(
                        placed.allocations().stream(), ready.fixed().stream().flatMap(this::allocation))
                .allMatch(allocation -> allocation
                                .nodeSelector()
                                .flatMap(NodeSelector::onlyNode)
                                .isPresent()
                        && allocation.results().stream()
                                .allMatch(result -> state.inventory()
                                        .published(result.device())
                                        .filter(device ->
                                                !device.nodeAllocatable().isEmpty())
                                        .isEmpty()));
    }

    private Stream<Allocation> allocation(ResourceClaim claim) {
        return Assembly.allocation(state, claim).stream();
    }

    private Plan because(Plan.Placed placed, int level) {
        Plan.Choice choice = placed.choice();
        var why = new Plan.Choice(
                choice.policy(),
                choice.fitting(),
                "%s; no node has room for the pod, kube-scheduler is to make it there by evicting pods of priority %d or lower"
                        .formatted(choice.because(), level),
                choice.second(),
                choice.secondBecause());
        return new Plan.Placed(placed.node(), placed.allocations(), why, steps);
    }
}

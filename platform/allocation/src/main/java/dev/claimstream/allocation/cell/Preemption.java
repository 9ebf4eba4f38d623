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
 * Where a pod finds room once kube-scheduler has evicted pods of lower priority. It evicts them on the node to which the pod is bound
 * when its gate goes, so the pod must wait at our gate, and its devices must be those of one node. What they hold themselves stays theirs
 * until they are gone.
 *
 * <p>Of all nodes that would do, those count on which the most important pod that has to go is the least important; kube-scheduler
 * prefers nodes in the same way.
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

    /** For an item that may have others evicted; pods of other cells are not known, so not where there are several. */
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

    /** Pods below this priority give way. */
    int priority() {
        return pod.priority();
    }

    /** The same or another answer, by which steps have been counted as well. */
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

    /** Bound to one node, and what its devices take of that node beside themselves is not reckoned with here. */
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

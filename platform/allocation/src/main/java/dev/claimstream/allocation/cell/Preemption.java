package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.AllocationPlanner;
import dev.claimstream.allocation.solver.ItemShape;
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
    private final WorkItemAssembly.Ready ready;
    private long steps;

    private Preemption(State state, Pod pod, WorkItemAssembly.Ready ready) {
        this.state = state;
        this.pod = pod;
        this.ready = ready;
    }

    /** For a gated pod that may preempt. Empty with several cells: pods of other cells are unknown. */
    static Optional<Preemption> of(State state, ItemId item, WorkItemAssembly.Ready ready) {
        return item.kind() == ItemId.ItemKind.POD
                        && state.settings().preemption()
                        && state.coordination().observesWholeCluster()
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
    AllocationPlan planWithPreemption(AllocationPlan.Pending unplaced, AllocationPlanner.PlanOptions terms) {
        steps = unplaced.steps();
        List<Integer> levels = state.nodeUsage().byPriority().below(pod.priority());
        Optional<AllocationPlan.Allocated> best = levels.isEmpty() ? Optional.empty() : plan(levels.getLast(), terms);
        int low = 0;
        int high = levels.size() - 1;
        while (best.isPresent() && low < high) {
            int middle = (low + high) >>> 1;
            Optional<AllocationPlan.Allocated> other = plan(levels.get(middle), terms);
            if (other.isPresent()) {
                best = other;
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        int level = high;
        return best.filter(this::isOnOneNode)
                .map(placed -> withMessage(placed, levels.get(level)))
                .orElseGet(() -> unplaced.withSteps(steps));
    }

    private Optional<AllocationPlan.Allocated> plan(int level, AllocationPlanner.PlanOptions terms) {
        ItemShape shape = ready.shape();
        AllocationPlan plan = state.planner()
                .plan(shape.withoutRequests(), terms.restrictedTo(node -> hasRoomWithout(level, node, shape)));
        steps += plan.steps();
        return plan instanceof AllocationPlan.Allocated placed ? Optional.of(placed) : Optional.empty();
    }

    private boolean hasRoomWithout(int level, NodeDeviceView node, ItemShape shape) {
        return node.hasCapacityAfterRelease(
                state.nodeUsage().byPriority().upTo(level, node.name()),
                shape.rules().requests());
    }

    /**
     * Whether all devices belong to one node and use no node-allocatable resources, which preemption does not account
     * for.
     */
    private boolean isOnOneNode(AllocationPlan.Allocated placed) {
        return Stream.concat(
                        placed.allocations().stream(),
                        ready.allocated().stream().flatMap(this::allocation))
                .allMatch(allocation -> allocation
                                .nodeSelector()
                                .flatMap(NodeSelector::onlyNode)
                                .isPresent()
                        && allocation.results().stream()
                                .allMatch(result -> state.inventory()
                                        .slices()
                                        .published(result.device())
                                        .filter(device ->
                                                !device.nodeAllocatable().isEmpty())
                                        .isEmpty()));
    }

    private Stream<Allocation> allocation(ResourceClaim claim) {
        return state.allocation(claim).stream();
    }

    private AllocationPlan withMessage(AllocationPlan.Allocated placed, int level) {
        AllocationPlan.NodeChoice choice = placed.choice();
        var nodeChoice = new AllocationPlan.NodeChoice(
                choice.policy(),
                choice.feasibleNodes(),
                "%s; no node has room for the pod, and kube-scheduler has to evict pods of priority %d or lower"
                        .formatted(choice.rationale(), level),
                choice.secondNode(),
                choice.secondRationale());
        return new AllocationPlan.Allocated(placed.node(), placed.allocations(), nodeChoice, steps);
    }
}

package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceCandidate;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * An equivalence class of nodes: nodes with equal layout and state for one problem. The outcome of a search on one of
 * them holds for all, and is cached here.
 */
final class NodeEquivalenceClass {
    final NodeLayout layout;
    final NodeState state;
    final SortedSet<NodeDeviceView> nodes = new TreeSet<>();
    private final Map<OutcomeKey, SearchOutcome> outcomes = new LinkedHashMap<>();

    NodeEquivalenceClass(NodeLayout layout, NodeState state) {
        this.layout = layout;
        this.state = state;
    }

    /** Returns a device of the layout on a node of this class. */
    DeviceCandidate candidate(NodeDeviceView node, int device) {
        return node.candidates().get(layout.positions[device]);
    }

    /** Inputs of an outcome other than the problem and the node. */
    private sealed interface OutcomeKey {
        record PlanOutcomeKey(PlacementPolicy policy, long stepsMax) implements OutcomeKey {}

        record RelaxedOutcomeKey(Set<Relaxation> relaxed, Set<Integer> constraints, long stepsMax)
                implements OutcomeKey {}
    }

    /** Returns whether and how the problem fits on the nodes of this class. */
    SearchOutcome outcome(AllocationProblem problem, PlacementPolicy policy, long stepsMax) {
        var terms = new OutcomeKey.PlanOutcomeKey(policy, stepsMax);
        SearchOutcome known = outcomes.get(terms);
        if (known != null) {
            return known;
        }
        SearchOutcome outcome = new NodeSearch(problem, this, policy, stepsMax)
                .advance(Long.MAX_VALUE)
                .orElseThrow();
        outcomes.put(terms, outcome);
        return outcome;
    }

    /** Returns the outcome if it is known without a search. */
    Optional<SearchOutcome> cachedOutcome(PlacementPolicy policy, long stepsMax) {
        return Optional.ofNullable(outcomes.get(new OutcomeKey.PlanOutcomeKey(policy, stepsMax)));
    }

    void cacheOutcome(PlacementPolicy policy, long stepsMax, SearchOutcome outcome) {
        outcomes.put(new OutcomeKey.PlanOutcomeKey(policy, stepsMax), outcome);
    }

    private Search search(AllocationProblem problem, Search.SearchOptions options) {
        return new Search(problem, layout, state, options);
    }

    /** Returns whether the order of devices affects only which solution is found, not whether one exists. */
    boolean isOrderIndependent(AllocationProblem problem) {
        return problem.options().stream()
                        .noneMatch(option -> option.isAllDevices() || layout.hasFailure(option.column()))
                && !layout.hasValue(NodeLayout.FAILED)
                && (problem.constraints().stream().noneMatch(AttributeConstraint::distinct)
                        || !layout.hasValue(NodeLayout.INCOMPARABLE));
    }

    /** Creates a search that tries devices in their published order. */
    Search publishedOrderSearch(AllocationProblem problem, long stepsMax) {
        int[] order = DeviceOrder.published(layout);
        int[][] orders = new int[problem.options().size()][];
        Arrays.fill(orders, order);
        return search(problem, new Search.SearchOptions(orders, true, EnumSet.noneOf(Relaxation.class), stepsMax));
    }

    /** Creates a search for the solution that leaves the most devices and partitions usable. */
    Search packingSearch(AllocationProblem problem, long stepsMax) {
        return packingSearch(problem, EnumSet.noneOf(Relaxation.class), stepsMax);
    }

    private Search packingSearch(AllocationProblem problem, Set<Relaxation> relaxed, long stepsMax) {
        return search(problem, new Search.SearchOptions(packingOrders(problem), false, relaxed, stepsMax));
    }

    private int[][] packingOrders(AllocationProblem problem) {
        int[][] orders = new int[problem.options().size()][];
        problem.options().forEach(option -> orders[option.column()] = DeviceOrder.packing(layout, state, option));
        return orders;
    }

    /**
     * Solves the problem without some limits; the search prefers unallocated devices to allocated ones.
     *
     * @param constraints indexes of the removed constraints
     */
    SearchOutcome relaxedOutcome(
            AllocationProblem problem, Set<Relaxation> relaxed, Set<Integer> constraints, long stepsMax) {
        var terms = new OutcomeKey.RelaxedOutcomeKey(
                new LinkedHashSet<>(relaxed), new LinkedHashSet<>(constraints), stepsMax);
        SearchOutcome known = outcomes.get(terms);
        if (known != null) {
            return known;
        }
        SearchOutcome outcome = packingSearch(problem.withoutConstraints(constraints), relaxed, stepsMax)
                .advance(Long.MAX_VALUE)
                .orElseThrow();
        outcomes.put(terms, outcome);
        return outcome;
    }
}

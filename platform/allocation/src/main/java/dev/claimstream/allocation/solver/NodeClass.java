package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.NodeView;
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
final class NodeClass {
    final Layout layout;
    final NodeState state;
    final SortedSet<NodeView> nodes = new TreeSet<>();
    private final Map<Terms, Outcome> outcomes = new LinkedHashMap<>();

    NodeClass(Layout layout, NodeState state) {
        this.layout = layout;
        this.state = state;
    }

    /** Inputs of an outcome other than the problem and the node. */
    private sealed interface Terms {
        record Planned(Policy policy, long stepsMax) implements Terms {}

        record Pretended(Set<Relaxation> relaxed, Set<Integer> constraints, long stepsMax) implements Terms {}
    }

    /** Returns whether and how the problem fits on the nodes of this class. */
    Outcome outcome(Question question, Policy policy, long stepsMax) {
        var terms = new Terms.Planned(policy, stepsMax);
        Outcome known = outcomes.get(terms);
        if (known != null) {
            return known;
        }
        Outcome outcome = new NodeSearch(question, this, policy, stepsMax)
                .advance(Long.MAX_VALUE)
                .orElseThrow();
        outcomes.put(terms, outcome);
        return outcome;
    }

    /** Returns the cached outcome of {@link #outcome}. */
    Optional<Outcome> known(Policy policy, long stepsMax) {
        return Optional.ofNullable(outcomes.get(new Terms.Planned(policy, stepsMax)));
    }

    void remember(Policy policy, long stepsMax, Outcome outcome) {
        outcomes.put(new Terms.Planned(policy, stepsMax), outcome);
    }

    private Search search(Question question, Search.Manner manner) {
        return new Search(question, layout, state, manner);
    }

    /** Returns whether the order of devices affects only which solution is found, not whether one exists. */
    boolean isPlain(Question question) {
        return question.wants().stream().noneMatch(want -> want.all() || layout.anyFails(want.column()))
                && !layout.anyValue(Layout.FAILED)
                && (question.bonds().stream().noneMatch(Bond::distinct) || !layout.anyValue(Layout.INCOMPARABLE));
    }

    /** Creates a search that tries devices in their published order. */
    Search published(Question question, long stepsMax) {
        int[] order = Order.published(layout);
        int[][] orders = new int[question.wants().size()][];
        Arrays.fill(orders, order);
        return search(question, new Search.Manner(orders, true, EnumSet.noneOf(Relaxation.class), stepsMax));
    }

    /** Creates a search for the solution that leaves the most devices and partitions usable. */
    Search packed(Question question, long stepsMax) {
        return packed(question, EnumSet.noneOf(Relaxation.class), stepsMax);
    }

    private Search packed(Question question, Set<Relaxation> relaxed, long stepsMax) {
        return search(question, new Search.Manner(packingOrders(question), false, relaxed, stepsMax));
    }

    private int[][] packingOrders(Question question) {
        int[][] orders = new int[question.wants().size()][];
        question.wants().forEach(want -> orders[want.column()] = Order.packing(layout, state, want));
        return orders;
    }

    /**
     * Solves the problem without some limits; the search prefers unallocated devices to allocated ones.
     *
     * @param constraints indexes of the removed constraints
     */
    Outcome pretending(Question question, Set<Relaxation> relaxed, Set<Integer> constraints, long stepsMax) {
        var terms = new Terms.Pretended(new LinkedHashSet<>(relaxed), new LinkedHashSet<>(constraints), stepsMax);
        Outcome known = outcomes.get(terms);
        if (known != null) {
            return known;
        }
        Outcome outcome = packed(question.without(constraints), relaxed, stepsMax)
                .advance(Long.MAX_VALUE)
                .orElseThrow();
        outcomes.put(terms, outcome);
        return outcome;
    }
}

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

/** Nodes that look alike to a question, holders included. What is found out about one of them holds for all. */
final class NodeClass {
    final Layout layout;
    final NodeState state;
    final SortedSet<NodeView> nodes = new TreeSet<>();
    private final Map<Terms, Outcome> outcomes = new LinkedHashMap<>();

    NodeClass(Layout layout, NodeState state) {
        this.layout = layout;
        this.state = state;
    }

    /** What an answer depends on besides the question and the node. */
    private sealed interface Terms {
        record Planned(Policy policy, long stepsMax) implements Terms {}

        record Pretended(Set<Relaxation> relaxed, Set<Integer> constraints, long stepsMax) implements Terms {}
    }

    /** Whether the question fits here, and how. */
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

    /** Whether the question fits here, and how, if that is known. */
    Optional<Outcome> known(Policy policy, long stepsMax) {
        return Optional.ofNullable(outcomes.get(new Terms.Planned(policy, stepsMax)));
    }

    void remember(Policy policy, long stepsMax, Outcome outcome) {
        outcomes.put(new Terms.Planned(policy, stepsMax), outcome);
    }

    private Search search(Question question, Search.Manner manner) {
        return new Search(question, layout, state, manner);
    }

    /** Whether the order in which devices are tried changes nothing but which solution is found. */
    boolean isPlain(Question question) {
        return question.wants().stream().noneMatch(want -> want.all() || layout.anyFails(want.column()))
                && !layout.anyValue(Layout.FAILED)
                && (question.bonds().stream().noneMatch(Bond::distinct) || !layout.anyValue(Layout.INCOMPARABLE));
    }

    /** A search in the order in which the devices were published. */
    Search published(Question question, long stepsMax) {
        int[] order = Order.published(layout);
        int[][] orders = new int[question.wants().size()][];
        Arrays.fill(orders, order);
        return search(question, new Search.Manner(orders, true, EnumSet.noneOf(Relaxation.class), stepsMax));
    }

    /** A search for the solution that leaves most to others. */
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
     * What the question would come to here under a pretence; free devices are preferred over held ones.
     *
     * @param constraints the places of constraints that are lifted
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

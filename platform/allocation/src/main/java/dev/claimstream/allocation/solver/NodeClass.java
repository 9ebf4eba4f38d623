package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.NodeView;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
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
        Outcome outcome = solve(question, policy, stepsMax);
        outcomes.put(terms, outcome);
        return outcome;
    }

    private Outcome solve(Question question, Policy policy, long stepsMax) {
        return switch (policy) {
            case FIRST_FIT -> search(question, published(question, stepsMax));
            case BEST_FIT -> packed(question, stepsMax);
        };
    }

    private Outcome packed(Question question, long stepsMax) {
        if (!isPlain(question)) {
            return bothWays(question, stepsMax);
        }
        Outcome packed = pretend(question, EnumSet.noneOf(Relaxation.class), stepsMax);
        return packed instanceof Outcome.Spent
                ? search(question, published(question, stepsMax)).after(packed.steps())
                : packed;
    }

    /**
     * Where a selector or a derivation fails, all devices are wanted, or a list is compared that is not served, the published order says
     * whether there is an answer; then packing says which.
     */
    private Outcome bothWays(Question question, long stepsMax) {
        Outcome published = search(question, published(question, stepsMax));
        if (!(published instanceof Outcome.Fits)) {
            return published;
        }
        Outcome packed = pretend(question, EnumSet.noneOf(Relaxation.class), stepsMax);
        return packed instanceof Outcome.Fits ? packed.after(published.steps()) : published.after(packed.steps());
    }

    private Outcome search(Question question, Search.Manner manner) {
        return new Search(question, layout, state, manner).run();
    }

    /** Whether the order in which devices are tried changes nothing but which solution is found. */
    private boolean isPlain(Question question) {
        return question.wants().stream().noneMatch(want -> want.all() || layout.anyFails(want.column()))
                && !layout.anyValue(Layout.FAILED)
                && (question.bonds().stream().noneMatch(Bond::distinct) || !layout.anyValue(Layout.INCOMPARABLE));
    }

    private Search.Manner published(Question question, long stepsMax) {
        int[] order = Order.published(layout);
        int[][] orders = new int[question.wants().size()][];
        Arrays.fill(orders, order);
        return new Search.Manner(orders, true, EnumSet.noneOf(Relaxation.class), stepsMax);
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
        Outcome outcome = pretend(question.without(constraints), relaxed, stepsMax);
        outcomes.put(terms, outcome);
        return outcome;
    }

    private Outcome pretend(Question question, Set<Relaxation> relaxed, long stepsMax) {
        return search(question, new Search.Manner(packingOrders(question), false, relaxed, stepsMax));
    }
}

package dev.claimstream.selectors.evaluation;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Adds up the cost of one evaluation and aborts it at the limit.
 *
 * <p>Upstream keeps the values of evaluated nodes on a stack. A call finds its arguments there by node id, and is not charged if one is
 * missing. Values that other nodes leave behind can be found instead or hide others, so this class reproduces the stack exactly. A lookup
 * by id takes constant time.
 */
final class CostMeter {
    private final long limit;
    private final InspectionBudget budget = new InspectionBudget();
    private @Nullable Object[] values = new @Nullable Object[32];
    private int[] ids = new int[32];
    /** For each entry, the next lower entry with the same id, or -1. */
    private int[] below = new int[32];

    /** The highest entry of each id, or -1. */
    private final int[] highest;

    private int height;
    private long cost;

    CostMeter(int idsMax, long limit) {
        this.limit = limit;
        highest = new int[idsMax + 1];
        Arrays.fill(highest, -1);
    }

    long cost() {
        return cost;
    }

    /** Pushes the value of a node. */
    void push(int id, Object value) {
        if (height == ids.length) {
            int room = 2 * height;
            values = Arrays.copyOf(values, room);
            ids = Arrays.copyOf(ids, room);
            below = Arrays.copyOf(below, room);
        }
        values[height] = value;
        ids[height] = id;
        below[height] = highest[id];
        highest[id] = height++;
    }

    /** Removes the highest entry with an id and all entries above it, if there is one. */
    void drop(int id) {
        if (highest[id] >= 0) {
            cut(highest[id]);
        }
    }

    private void cut(int to) {
        while (height > to) {
            height--;
            highest[ids[height]] = below[height];
            values[height] = null;
        }
    }

    /** Removes the values of nodes, the last node first, and all entries above them; returns null if one is missing. */
    @Nullable
    Object @Nullable [] removeAll(PlanStep[] nodes) {
        @Nullable Object[] found = new @Nullable Object[nodes.length];
        for (int i = nodes.length - 1; i >= 0; i--) {
            int at = highest[nodes[i].id()];
            if (at < 0) {
                return null;
            }
            found[i] = values[at];
            cut(at);
        }
        return found;
    }

    /**
     * Adds to the cost.
     *
     * @param more unsigned
     * @throws EvaluationAbortException if the cost exceeds the limit
     */
    void charge(long more) {
        cost += more;
        if (Long.compareUnsigned(cost, limit) > 0) {
            throw EvaluationAbortException.byCost();
        }
    }

    /**
     * Counts the values that a call is about to inspect.
     *
     * @throws EvaluationAbortException if calls have inspected too many values
     */
    void countInspection(Object[] arguments) {
        budget.inspectAll(arguments);
    }

    /**
     * Counts an error of a library.
     *
     * @throws EvaluationAbortException if there were too many
     */
    void countError() {
        budget.countError();
    }
}

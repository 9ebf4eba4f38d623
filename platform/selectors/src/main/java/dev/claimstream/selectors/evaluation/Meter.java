package dev.claimstream.selectors.evaluation;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Adds up what one evaluation costs and ends it where that is too much. Upstream keeps the values of evaluated nodes on a stack, on which
 * a call finds its arguments by their ids; where it does not find them all, it charges nothing. What others leave there can thus be found
 * instead, or be in the way, so the stack is kept to the entry. Looking for an id takes one step, however high the stack.
 */
final class Meter {
    private final long limit;
    private final Effort effort = new Effort();
    private @Nullable Object[] values = new @Nullable Object[32];
    private int[] ids = new int[32];
    /** For each entry, the next one below it with the same id, or -1. */
    private int[] below = new int[32];

    /** The highest entry of each id, or -1. */
    private final int[] highest;

    private int height;
    private long cost;

    Meter(int idsMax, long limit) {
        this.limit = limit;
        highest = new int[idsMax + 1];
        Arrays.fill(highest, -1);
    }

    long cost() {
        return cost;
    }

    /** A node has a value. */
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

    /** Removes the highest entry with this id and all above it, if there is one. */
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

    /** Removes the values of these nodes, the last one first, and all above them; null where one is not found. */
    @Nullable
    Object @Nullable [] take(Step[] nodes) {
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
     * @param more without a sign
     * @throws Ended where it is too high now
     */
    void charge(long more) {
        cost += more;
        if (Long.compareUnsigned(cost, limit) > 0) {
            throw Ended.byCost();
        }
    }

    /**
     * A call is about to look at all of these values.
     *
     * @throws Ended where such calls have looked at too much
     */
    void weigh(Object[] arguments) {
        effort.weigh(arguments);
    }

    /**
     * A library made an error.
     *
     * @throws Ended where there were too many
     */
    void error() {
        effort.error();
    }
}

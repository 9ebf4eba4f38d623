package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.NodeView;
import java.util.Arrays;

/**
 * Who holds what on a node, as far as a layout looks: which of its devices are free.
 *
 * @param freeOthers how many of the node's other devices are free
 */
record NodeState(boolean[] free, int freeOthers) {
    static NodeState of(Layout layout, NodeView view) {
        boolean[] free = new boolean[layout.size];
        for (int i = 0; i < layout.size; i++) {
            free[i] = view.slots().get(layout.positions[i]).holding().isFree();
        }
        int all = 0;
        for (var slot : view.slots()) {
            all += slot.holding().isFree() ? 1 : 0;
        }
        return new NodeState(free, all - count(free));
    }

    /** The same node with nothing held. */
    static NodeState empty(Layout layout) {
        boolean[] free = new boolean[layout.size];
        Arrays.fill(free, true);
        return new NodeState(free, layout.others);
    }

    int freeCount() {
        return count(free);
    }

    private static int count(boolean[] free) {
        int count = 0;
        for (boolean each : free) {
            count += each ? 1 : 0;
        }
        return count;
    }

    /** A key of layout and state together. */
    IntKey key(int layout, Ints scratch) {
        scratch.clear();
        scratch.add(layout);
        scratch.add(freeOthers);
        int word = 0;
        for (int i = 0; i < free.length; i++) {
            word |= free[i] ? 1 << (i & 31) : 0;
            if ((i & 31) == 31) {
                scratch.add(word);
                word = 0;
            }
        }
        scratch.add(word);
        return new IntKey(scratch.toArray());
    }
}

package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.NodeView;
import dev.claimstream.allocation.inventory.Slot;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/** Allocation state of a node for one layout: available devices and their remaining counters and capacities. */
final class NodeState {
    private final boolean[] open;
    private final boolean[] untouched;
    private final int[] costs;
    private final int[] rooms;
    private final int untouchedOthers;
    private final Partitions.Left counters;
    private final Shares.Left shares;

    private NodeState(
            boolean[] open,
            boolean[] untouched,
            int[] costs,
            int[] rooms,
            int untouchedOthers,
            Partitions.Left counters,
            Shares.Left shares) {
        this.open = open;
        this.untouched = untouched;
        this.costs = costs;
        this.rooms = rooms;
        this.untouchedOthers = untouchedOthers;
        this.counters = counters;
        this.shares = shares;
    }

    static NodeState of(Layout layout, NodeView view) {
        boolean[] open = new boolean[layout.size];
        boolean[] untouched = new boolean[layout.size];
        for (int i = 0; i < layout.size; i++) {
            var holding = view.slots().get(layout.positions[i]).holding();
            untouched[i] = holding.isFree();
            open[i] = untouched[i] || (layout.shares.isShareable(i) && !holding.isDedicated());
        }
        int all = 0;
        for (var slot : view.slots()) {
            all += slot.holding().isFree() ? 1 : 0;
        }
        Shares.Left shares = layout.shares.left(layout, view);
        int[] rooms = rooms(layout, shares);
        return new NodeState(
                open,
                untouched,
                costs(layout, view, rooms),
                rooms,
                all - count(untouched),
                layout.partitions.left(layout, view),
                shares);
    }

    private static int[] rooms(Layout layout, Shares.Left shares) {
        int[] rooms = new int[layout.size];
        for (int i = 0; i < layout.size && !layout.shares.isNone(); i++) {
            rooms[i] = layout.shares.isShareable(i) ? layout.shares.room(i, shares.room()[i]) : 0;
        }
        return rooms;
    }

    private static int[] costs(Layout layout, NodeView view, int[] rooms) {
        int[] costs = new int[layout.size];
        for (int i = 0; i < layout.size && !layout.partitions.isNone(); i++) {
            costs[i] = view.slots()
                    .get(layout.positions[i])
                    .counters()
                    .map(NodeState::cost)
                    .orElse(0);
        }
        for (int i = 0; i < layout.size; i++) {
            costs[i] += rooms[i] == Shares.WHOLE ? Shares.WHOLE : 0;
        }
        return costs;
    }

    private static int cost(Slot.CounterUse use) {
        return use.pool().losses()[use.user().number()];
    }

    /** Returns whether the allocations of a device leave it available. */
    boolean isOpen(int device) {
        return open[device];
    }

    /** Returns whether a device is unallocated. */
    boolean isUntouched(int device) {
        return untouched[device];
    }

    /**
     * Fragmentation cost of allocating a device. It is the weight of the partitions that become unallocatable
     * ({@code SharedCounters.losses}), plus a penalty for a device that was whole.
     */
    int cost(int device) {
        return costs[device];
    }

    /** Remaining share of the scarcest capacity of a shareable device, in thousandths. */
    int room(int device) {
        return rooms[device];
    }

    /** Returns whether two devices of the layout have the same remaining state. */
    boolean alike(int one, int other) {
        return open[one] == open[other]
                && (shares.room().length == 0
                        || (shares.begun()[one] == shares.begun()[other]
                                && Arrays.equals(shares.room()[one], shares.room()[other])));
    }

    /** Returns whether an option can get this device now, considered alone. */
    boolean has(Layout layout, Want want, int device) {
        if (want.admin()) {
            return true;
        }
        Stock stock = stock(layout);
        return open[device] && stock.hasCounters(device) && stock.hasRoom(want.column(), device);
    }

    /** Number of unallocated devices of the layout. */
    int untouchedCount() {
        return count(untouched);
    }

    /** Number of unallocated devices of the node outside the layout. */
    int untouchedOthers() {
        return untouchedOthers;
    }

    Stock stock(Layout layout) {
        return stock(layout, EnumSet.noneOf(Relaxation.class));
    }

    /** @param lifted limits to ignore */
    Stock stock(Layout layout, Set<Relaxation> lifted) {
        return new Stock(layout, counters, shares, lifted);
    }

    private static int count(boolean[] flags) {
        int count = 0;
        for (boolean each : flags) {
            count += each ? 1 : 0;
        }
        return count;
    }

    /** Key of layout and state together. */
    IntKey key(int layout, Ints scratch) {
        scratch.clear();
        scratch.add(layout);
        scratch.add(untouchedOthers);
        add(open, scratch);
        if (counters.counters().length + shares.room().length > 0) {
            add(untouched, scratch);
            Arrays.stream(costs).forEach(scratch::add);
            counters.addTo(scratch);
            shares.addTo(scratch);
        }
        return new IntKey(scratch.toArray());
    }

    private static void add(boolean[] flags, Ints key) {
        int word = 0;
        for (int i = 0; i < flags.length; i++) {
            word |= flags[i] ? 1 << (i & 31) : 0;
            if ((i & 31) == 31) {
                key.add(word);
                word = 0;
            }
        }
        key.add(word);
    }
}

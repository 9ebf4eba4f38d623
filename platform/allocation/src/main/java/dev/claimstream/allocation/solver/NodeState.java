package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceCandidate;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/** Allocation state of a node for one layout: available devices and their remaining counters and capacities. */
final class NodeState {
    private final boolean[] available;
    private final boolean[] unallocated;
    private final int[] costs;
    private final int[] remainingShares;
    private final int unallocatedOthers;
    private final PartitionableDevices.FreeCounters counters;
    private final ShareableDevices.FreeCapacities shares;

    private NodeState(
            boolean[] open,
            boolean[] untouched,
            int[] costs,
            int[] rooms,
            int untouchedOthers,
            PartitionableDevices.FreeCounters counters,
            ShareableDevices.FreeCapacities shares) {
        this.available = open;
        this.unallocated = untouched;
        this.costs = costs;
        this.remainingShares = rooms;
        this.unallocatedOthers = untouchedOthers;
        this.counters = counters;
        this.shares = shares;
    }

    static NodeState of(NodeLayout layout, NodeDeviceView view) {
        boolean[] open = new boolean[layout.size];
        boolean[] untouched = new boolean[layout.size];
        for (int i = 0; i < layout.size; i++) {
            var holding = view.candidates().get(layout.positions[i]).usage();
            untouched[i] = holding.isFree();
            open[i] = untouched[i] || (layout.shares.isShareable(i) && !holding.isDedicated());
        }
        int all = 0;
        for (var candidate : view.candidates()) {
            all += candidate.usage().isFree() ? 1 : 0;
        }
        ShareableDevices.FreeCapacities shares = layout.shares.freeCapacities(layout, view);
        int[] rooms = remainingShares(layout, shares);
        return new NodeState(
                open,
                untouched,
                costs(layout, view, rooms),
                rooms,
                all - count(untouched),
                layout.partitions.freeCounters(layout, view),
                shares);
    }

    private static int[] remainingShares(NodeLayout layout, ShareableDevices.FreeCapacities shares) {
        int[] rooms = new int[layout.size];
        for (int i = 0; i < layout.size && !layout.shares.isEmpty(); i++) {
            rooms[i] = layout.shares.isShareable(i) ? layout.shares.remainingShare(i, shares.capacities()[i]) : 0;
        }
        return rooms;
    }

    private static int[] costs(NodeLayout layout, NodeDeviceView view, int[] rooms) {
        int[] costs = new int[layout.size];
        for (int i = 0; i < layout.size && !layout.partitions.isEmpty(); i++) {
            costs[i] = view.candidates()
                    .get(layout.positions[i])
                    .counters()
                    .map(NodeState::cost)
                    .orElse(0);
        }
        for (int i = 0; i < layout.size; i++) {
            costs[i] += rooms[i] == ShareableDevices.FULL ? ShareableDevices.FULL : 0;
        }
        return costs;
    }

    private static int cost(DeviceCandidate.CounterUse use) {
        return use.pool().losses()[use.consumer().number()];
    }

    /** Returns whether the allocations of a device leave it available. */
    boolean isAvailable(int device) {
        return available[device];
    }

    boolean isUnallocated(int device) {
        return unallocated[device];
    }

    /**
     * Fragmentation cost of allocating a device. It is the weight of the partitions that become unallocatable
     * ({@code SharedCounters.losses}), plus a penalty for a device that was whole.
     */
    int cost(int device) {
        return costs[device];
    }

    /** Remaining share of the scarcest capacity of a shareable device, in thousandths. */
    int remainingShare(int device) {
        return remainingShares[device];
    }

    /** Returns whether two devices of the layout have the same remaining state. */
    boolean isEquivalent(int one, int other) {
        return available[one] == available[other]
                && (shares.capacities().length == 0
                        || (shares.isShared()[one] == shares.isShared()[other]
                                && Arrays.equals(shares.capacities()[one], shares.capacities()[other])));
    }

    /** Returns whether an option can get this device now, considered alone. */
    boolean isAllocatable(NodeLayout layout, RequestOption option, int device) {
        if (option.hasAdminAccess()) {
            return true;
        }
        RemainingCapacity remainingCapacity = remainingCapacity(layout);
        return available[device]
                && remainingCapacity.hasCounters(device)
                && remainingCapacity.hasCapacity(option.column(), device);
    }

    /** Number of unallocated devices of the layout. */
    int unallocatedCount() {
        return count(unallocated);
    }

    /** Number of unallocated devices of the node outside the layout. */
    int unallocatedOthers() {
        return unallocatedOthers;
    }

    RemainingCapacity remainingCapacity(NodeLayout layout) {
        return remainingCapacity(layout, EnumSet.noneOf(Relaxation.class));
    }

    /** @param lifted limits to ignore */
    RemainingCapacity remainingCapacity(NodeLayout layout, Set<Relaxation> lifted) {
        return new RemainingCapacity(layout, counters, shares, lifted);
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
        scratch.add(unallocatedOthers);
        add(available, scratch);
        if (counters.counters().length + shares.capacities().length > 0) {
            add(unallocated, scratch);
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

package dev.claimstream.allocation.solver;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/** Remaining counters, capacities and compatibility groups of a node at one point of a search. */
final class RemainingCapacity {
    private static final int[] NO_SETS = {};

    private final NodeLayout layout;
    private final PartitionableDevices.FreeCounters initialCounters;
    private final PartitionableDevices.FreeCounters freeCounters;
    private final boolean[] isOverdrawn;
    private final ShareableDevices.FreeCapacities initialShares;
    private final long[][] capacities;
    private final int[] shareCounts;
    private final Deque<int[]> groupsBefore = new ArrayDeque<>();
    private final boolean hasCounters;
    private final boolean hasGroups;
    private final boolean hasCapacity;

    /** @param lifted limits to ignore */
    RemainingCapacity(
            NodeLayout layout,
            PartitionableDevices.FreeCounters counters,
            ShareableDevices.FreeCapacities shares,
            Set<Relaxation> lifted) {
        this.layout = layout;
        this.hasCounters = !lifted.contains(Relaxation.COUNTERS);
        this.hasGroups = !lifted.contains(Relaxation.GROUPS);
        this.hasCapacity = !lifted.contains(Relaxation.CAPACITY);
        this.initialCounters = counters;
        this.freeCounters = counters.copy();
        this.initialShares = shares;
        this.capacities = shares.capacities().clone();
        this.shareCounts = new int[layout.size];
        this.isOverdrawn = new boolean[layout.partitions.pools()];
        for (int pool = 0; pool < isOverdrawn.length; pool++) {
            int end = layout.partitions.firstCounter(pool + 1);
            for (int counter = layout.partitions.firstCounter(pool); counter < end; counter++) {
                isOverdrawn[pool] |= initialCounters.counters()[counter] < 0;
            }
        }
    }

    /** Returns whether the counters of the pool and the compatibility groups allow the device. */
    boolean hasCounters(int device) {
        return covers(device) && isCompatible(device);
    }

    private boolean covers(int device) {
        int pool = layout.partitions.poolOf(device);
        return pool < 0
                || !hasCounters
                || hasConsumedCounters(device)
                || (!isOverdrawn[pool]
                        && layout.partitions
                                .limbs()
                                .covers(
                                        freeCounters.counters(),
                                        layout.partitions.counters(device),
                                        layout.partitions.amounts(device)));
    }

    private boolean isCompatible(int device) {
        if (layout.partitions.poolOf(device) < 0 || !hasGroups || hasConsumedCounters(device)) {
            return true;
        }
        int[] sets = layout.partitions.counterSets(device);
        for (int i = 0; i < sets.length; i++) {
            if (!CompatibilityGroups.admits(freeCounters.groups()[sets[i]], layout.partitions.groups(device, i))) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a shareable device has enough capacity for one more share; true for other devices. */
    boolean hasCapacity(int column, int device) {
        return !layout.shares.isShareable(device)
                || !hasCapacity
                || layout.shares.covers(device, column, capacities[device]);
    }

    /** The first share of a device consumes the counters of the device. */
    private boolean hasConsumedCounters(int device) {
        return layout.shares.isShareable(device)
                && (shareCounts[device] > 0 || initialShares.isShared()[device]);
    }

    void allocate(int column, int device) {
        if (layout.partitions.poolOf(device) >= 0 && !hasConsumedCounters(device)) {
            if (hasCounters) {
                layout.partitions
                        .limbs()
                        .subtract(
                                freeCounters.counters(),
                                layout.partitions.counters(device),
                                layout.partitions.amounts(device));
            }
            int[] sets = hasGroups ? layout.partitions.counterSets(device) : NO_SETS;
            for (int i = 0; i < sets.length; i++) {
                groupsBefore.push(freeCounters.groups()[sets[i]]);
                freeCounters.groups()[sets[i]] =
                        CompatibilityGroups.join(freeCounters.groups()[sets[i]], layout.partitions.groups(device, i));
            }
        }
        if (layout.shares.isShareable(device)) {
            shareCounts[device]++;
            if (hasCapacity) {
                capacities[device] = layout.shares.consume(device, column, capacities[device]);
            }
        }
    }

    /** Reverts the last {@link #allocate}. */
    void release(int column, int device) {
        if (layout.shares.isShareable(device)) {
            shareCounts[device]--;
            if (hasCapacity) {
                capacities[device] = layout.shares.release(device, column, capacities[device]);
            }
        }
        if (layout.partitions.poolOf(device) >= 0 && !hasConsumedCounters(device)) {
            if (hasCounters) {
                layout.partitions
                        .limbs()
                        .add(
                                freeCounters.counters(),
                                layout.partitions.counters(device),
                                layout.partitions.amounts(device));
            }
            int[] sets = hasGroups ? layout.partitions.counterSets(device) : NO_SETS;
            for (int i = sets.length - 1; i >= 0; i--) {
                freeCounters.groups()[sets[i]] = groupsBefore.pop();
            }
        }
    }

    /** Adds the consumption since the start of the search to the key; equivalent devices are interchangeable. */
    void addToKey(DeviceEquivalence equivalence, Ints key) {
        for (int i = 0; i < freeCounters.counters().length; i++) {
            if (freeCounters.counters()[i] != initialCounters.counters()[i]) {
                key.add(i);
                key.add(initialCounters.counters()[i] - freeCounters.counters()[i]);
            }
        }
        key.add(-1);
        for (int i = 0; i < freeCounters.groups().length; i++) {
            if (freeCounters.groups()[i] != initialCounters.groups()[i]) {
                key.add(i);
                key.add(freeCounters.groups()[i].length);
                Arrays.stream(freeCounters.groups()[i]).forEach(key::add);
            }
        }
        key.add(-1);
        if (layout.shares.isEmpty()) {
            return;
        }
        List<int[]> shared = new ArrayList<>();
        for (int device = 0; device < shareCounts.length; device++) {
            if (shareCounts[device] > 0) {
                var entry = new Ints();
                entry.add(equivalence.classOf(device));
                Arrays.stream(capacities[device]).forEach(entry::add);
                shared.add(entry.toArray());
            }
        }
        shared.sort(Arrays::compare);
        key.add(shared.size());
        shared.forEach(each -> Arrays.stream(each).forEach(key::add));
    }
}

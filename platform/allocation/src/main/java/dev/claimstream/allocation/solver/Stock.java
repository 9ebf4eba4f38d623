package dev.claimstream.allocation.solver;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/** Remaining counters, capacities and compatibility groups of a node at one point of a search. */
final class Stock {
    private static final int[] NO_SETS = {};

    private final Layout layout;
    private final Partitions.Left before;
    private final Partitions.Left now;
    private final boolean[] isBroken;
    private final Shares.Left sharesBefore;
    private final long[][] room;
    private final int[] sharers;
    private final Deque<int[]> groupsBefore = new ArrayDeque<>();
    private final boolean hasCounters;
    private final boolean hasGroups;
    private final boolean hasRoom;

    /** @param lifted limits to ignore */
    Stock(Layout layout, Partitions.Left counters, Shares.Left shares, Set<Relaxation> lifted) {
        this.layout = layout;
        this.hasCounters = !lifted.contains(Relaxation.COUNTERS);
        this.hasGroups = !lifted.contains(Relaxation.GROUPS);
        this.hasRoom = !lifted.contains(Relaxation.CAPACITY);
        this.before = counters;
        this.now = counters.copy();
        this.sharesBefore = shares;
        this.room = shares.room().clone();
        this.sharers = new int[layout.size];
        this.isBroken = new boolean[layout.partitions.pools()];
        for (int pool = 0; pool < isBroken.length; pool++) {
            int end = layout.partitions.firstCounter(pool + 1);
            for (int counter = layout.partitions.firstCounter(pool); counter < end; counter++) {
                isBroken[pool] |= before.counters()[counter] < 0;
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
                || isPaid(device)
                || (!isBroken[pool]
                        && layout.partitions
                                .limbs()
                                .cover(
                                        now.counters(),
                                        layout.partitions.counters(device),
                                        layout.partitions.amounts(device)));
    }

    private boolean isCompatible(int device) {
        if (layout.partitions.poolOf(device) < 0 || !hasGroups || isPaid(device)) {
            return true;
        }
        int[] sets = layout.partitions.sets(device);
        for (int i = 0; i < sets.length; i++) {
            if (!Groups.admits(now.groups()[sets[i]], layout.partitions.groups(device, i))) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a shareable device has enough capacity for one more share; true for other devices. */
    boolean hasRoom(int column, int device) {
        return !layout.shares.isShareable(device) || !hasRoom || layout.shares.covers(device, column, room[device]);
    }

    /** The first share of a device consumes the counters of the device. */
    private boolean isPaid(int device) {
        return layout.shares.isShareable(device)
                && (sharers[device] > 0 || sharesBefore.begun()[device]);
    }

    void take(int column, int device) {
        if (layout.partitions.poolOf(device) >= 0 && !isPaid(device)) {
            if (hasCounters) {
                layout.partitions
                        .limbs()
                        .subtract(
                                now.counters(), layout.partitions.counters(device), layout.partitions.amounts(device));
            }
            int[] sets = hasGroups ? layout.partitions.sets(device) : NO_SETS;
            for (int i = 0; i < sets.length; i++) {
                groupsBefore.push(now.groups()[sets[i]]);
                now.groups()[sets[i]] = Groups.joined(now.groups()[sets[i]], layout.partitions.groups(device, i));
            }
        }
        if (layout.shares.isShareable(device)) {
            sharers[device]++;
            if (hasRoom) {
                room[device] = layout.shares.after(device, column, room[device]);
            }
        }
    }

    /** Reverts the last {@link #take}. */
    void giveBack(int column, int device) {
        if (layout.shares.isShareable(device)) {
            sharers[device]--;
            if (hasRoom) {
                room[device] = layout.shares.before(device, column, room[device]);
            }
        }
        if (layout.partitions.poolOf(device) >= 0 && !isPaid(device)) {
            if (hasCounters) {
                layout.partitions
                        .limbs()
                        .add(now.counters(), layout.partitions.counters(device), layout.partitions.amounts(device));
            }
            int[] sets = hasGroups ? layout.partitions.sets(device) : NO_SETS;
            for (int i = sets.length - 1; i >= 0; i--) {
                now.groups()[sets[i]] = groupsBefore.pop();
            }
        }
    }

    /** Adds the consumption since the start of the search to the key; equivalent devices are interchangeable. */
    void addState(Sorts sorts, Ints key) {
        for (int i = 0; i < now.counters().length; i++) {
            if (now.counters()[i] != before.counters()[i]) {
                key.add(i);
                key.add(before.counters()[i] - now.counters()[i]);
            }
        }
        key.add(-1);
        for (int i = 0; i < now.groups().length; i++) {
            if (now.groups()[i] != before.groups()[i]) {
                key.add(i);
                key.add(now.groups()[i].length);
                Arrays.stream(now.groups()[i]).forEach(key::add);
            }
        }
        key.add(-1);
        if (layout.shares.isNone()) {
            return;
        }
        List<int[]> shared = new ArrayList<>();
        for (int device = 0; device < sharers.length; device++) {
            if (sharers[device] > 0) {
                var entry = new Ints();
                entry.add(sorts.sortOf(device));
                Arrays.stream(room[device]).forEach(entry::add);
                shared.add(entry.toArray());
            }
        }
        shared.sort(Arrays::compare);
        key.add(shared.size());
        shared.forEach(each -> Arrays.stream(each).forEach(key::add));
    }
}

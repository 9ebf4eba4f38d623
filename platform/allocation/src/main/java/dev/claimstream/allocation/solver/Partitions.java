package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.Limbs;
import dev.claimstream.allocation.inventory.NodeView;
import dev.claimstream.allocation.inventory.SharedCounters;
import dev.claimstream.allocation.inventory.Slot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Partitionable devices of a layout and their consumption of shared counters. The limbs of all counters, and all
 * counter sets, of the relevant pools have consecutive numbers.
 */
final class Partitions {
    private static final int[] NO_NUMBERS = {};
    private static final long[] NO_AMOUNTS = {};
    private static final int[][] NO_GROUPS = {};

    /** Per device, the index of its pool; -1 if the device consumes no counters. */
    private final int[] poolOf;

    private final int[][] counters;
    private final long[][] amounts;
    private final int[][] sets;
    private final int[][][] groups;
    /**
     * Per pool, the first device that consumes its counters; the device identifies the pool on other nodes of the
     * layout.
     */
    private final List<Integer> firstUsers = new ArrayList<>();

    private final List<Integer> firstCounters = new ArrayList<>();
    private final Limbs limbs;
    private final int setCount;
    private final long[] declared;

    /** @param slots the devices of the layout */
    Partitions(List<Slot> slots) {
        poolOf = new int[slots.size()];
        counters = new int[slots.size()][];
        amounts = new long[slots.size()][];
        sets = new int[slots.size()][];
        groups = new int[slots.size()][][];
        List<SharedCounters> pools = new ArrayList<>();
        int counterEnd = 0;
        int setEnd = 0;
        List<Integer> setStarts = new ArrayList<>();
        for (int device = 0; device < slots.size(); device++) {
            poolOf[device] = -1;
            counters[device] = NO_NUMBERS;
            amounts[device] = NO_AMOUNTS;
            sets[device] = NO_NUMBERS;
            groups[device] = NO_GROUPS;
            if (slots.get(device).counters().isEmpty()) {
                continue;
            }
            Slot.CounterUse use = slots.get(device).counters().get();
            int pool = pools.indexOf(use.pool());
            if (pool < 0) {
                pool = pools.size();
                pools.add(use.pool());
                firstUsers.add(device);
                firstCounters.add(counterEnd);
                setStarts.add(setEnd);
                counterEnd += use.pool().limbs().size();
                setEnd += use.pool().setCount();
            }
            poolOf[device] = pool;
            counters[device] = shifted(use.user().counters(), firstCounters.get(pool));
            amounts[device] = use.user().amounts();
            sets[device] = shifted(use.user().places(), setStarts.get(pool));
            groups[device] = use.user().groups().toArray(int[][]::new);
        }
        setCount = setEnd;
        limbs = Limbs.joined(pools.stream().map(SharedCounters::limbs).toList());
        declared = pools.stream()
                .flatMapToLong(pool -> Arrays.stream(pool.declared()))
                .toArray();
    }

    private static int[] shifted(int[] numbers, int by) {
        return Arrays.stream(numbers).map(number -> number + by).toArray();
    }

    boolean isNone() {
        return firstUsers.isEmpty();
    }

    /** Index of the pool whose counters a device consumes, or -1. */
    int poolOf(int device) {
        return poolOf[device];
    }

    int pools() {
        return firstUsers.size();
    }

    /** Limbs of all counters. */
    Limbs limbs() {
        return limbs;
    }

    /** Limbs that a device consumes, ascending. */
    int[] counters(int device) {
        return counters[device];
    }

    long[] amounts(int device) {
        return amounts[device];
    }

    int[] sets(int device) {
        return sets[device];
    }

    int[] groups(int device, int place) {
        return groups[device][place];
    }

    /** First limb of a pool; the number of limbs for the index after the last pool. */
    int firstCounter(int pool) {
        return pool < pools() ? firstCounters.get(pool) : limbs.size();
    }

    boolean alike(int one, int other) {
        return poolOf[one] == poolOf[other]
                && Arrays.equals(counters[one], counters[other])
                && Arrays.equals(amounts[one], amounts[other])
                && Arrays.equals(sets[one], sets[other])
                && Arrays.deepEquals(groups[one], groups[other]);
    }

    void addTo(Ints key) {
        key.add(pools());
        for (int device = 0; device < poolOf.length && !isNone(); device++) {
            key.add(poolOf[device]);
            key.add(counters[device].length);
            for (int i = 0; i < counters[device].length; i++) {
                key.add(counters[device][i]);
                key.add(amounts[device][i]);
            }
            for (int i = 0; i < sets[device].length; i++) {
                key.add(sets[device][i]);
                key.add(groups[device][i].length);
                Arrays.stream(groups[device][i]).forEach(key::add);
            }
        }
        for (int i = 0; i < declared.length; i++) {
            key.add(limbs.isLower(i) ? 1 : 0);
            key.add(declared[i]);
        }
    }

    // ---- free counters
    // ----------------------------------------------------------------------------------------------------

    /** Returns the free counters of a node with this layout. */
    Left left(Layout layout, NodeView view) {
        if (isNone()) {
            return new Left(NO_AMOUNTS, NO_GROUPS);
        }
        long[] left = new long[limbs.size()];
        int[][] common = new int[setCount][];
        int set = 0;
        for (int pool = 0; pool < pools(); pool++) {
            SharedCounters shared = view.slots()
                    .get(layout.positions[firstUsers.get(pool)])
                    .counters()
                    .orElseThrow()
                    .pool();
            System.arraycopy(
                    shared.left(),
                    0,
                    left,
                    firstCounters.get(pool),
                    shared.limbs().size());
            if (shared.hasGroups()) {
                for (List<int[]> held : shared.heldGroups()) {
                    common[set++] = Groups.common(held);
                }
            } else {
                Arrays.fill(common, set, set + shared.setCount(), Groups.NOBODY);
                set += shared.setCount();
            }
        }
        return new Left(left, common);
    }

    /** Returns the counters without any allocation. */
    Left all() {
        int[][] common = new int[setCount][];
        Arrays.fill(common, Groups.NOBODY);
        return new Left(declared.clone(), common);
    }

    /**
     * Free counters at one point.
     *
     * @param counters remaining amount per limb
     * @param groups per counter set, the common compatibility groups of its devices
     */
    record Left(long[] counters, int[][] groups) {
        Left copy() {
            return new Left(counters.clone(), groups.clone());
        }

        void addTo(Ints key) {
            Arrays.stream(counters).forEach(key::add);
            for (int[] each : groups) {
                key.add(each.length);
                Arrays.stream(each).forEach(key::add);
            }
        }
    }
}

package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceCandidate;
import dev.claimstream.allocation.inventory.Limbs;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.allocation.inventory.SharedCounters;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Partitionable devices of a layout and their consumption of shared counters. The limbs of all counters, and all
 * counter sets, of the relevant pools have consecutive numbers.
 */
final class PartitionableDevices {
    private static final int[] NO_NUMBERS = {};
    private static final long[] NO_AMOUNTS = {};
    private static final int[][] NO_GROUPS = {};

    /** Per device, the index of its pool; -1 if the device consumes no counters. */
    private final int[] poolOf;

    private final int[][] counters;
    private final long[][] amounts;
    private final int[][] counterSets;
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

    /** @param candidates the devices of the layout */
    PartitionableDevices(List<DeviceCandidate> candidates) {
        poolOf = new int[candidates.size()];
        counters = new int[candidates.size()][];
        amounts = new long[candidates.size()][];
        counterSets = new int[candidates.size()][];
        groups = new int[candidates.size()][][];
        List<SharedCounters> pools = new ArrayList<>();
        int counterEnd = 0;
        int setEnd = 0;
        List<Integer> setStarts = new ArrayList<>();
        for (int device = 0; device < candidates.size(); device++) {
            poolOf[device] = -1;
            counters[device] = NO_NUMBERS;
            amounts[device] = NO_AMOUNTS;
            counterSets[device] = NO_NUMBERS;
            groups[device] = NO_GROUPS;
            if (candidates.get(device).counters().isEmpty()) {
                continue;
            }
            DeviceCandidate.CounterUse use = candidates.get(device).counters().get();
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
            counters[device] = shifted(use.consumer().counters(), firstCounters.get(pool));
            amounts[device] = use.consumer().amounts();
            counterSets[device] = shifted(use.consumer().setIndexes(), setStarts.get(pool));
            groups[device] = use.consumer().groups().toArray(int[][]::new);
        }
        setCount = setEnd;
        limbs = Limbs.concat(pools.stream().map(SharedCounters::limbs).toList());
        declared = pools.stream()
                .flatMapToLong(pool -> Arrays.stream(pool.declared()))
                .toArray();
    }

    private static int[] shifted(int[] numbers, int by) {
        return Arrays.stream(numbers).map(number -> number + by).toArray();
    }

    boolean isEmpty() {
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

    int[] counterSets(int device) {
        return counterSets[device];
    }

    int[] groups(int device, int setIndex) {
        return groups[device][setIndex];
    }

    /** First limb of a pool; the number of limbs for the index after the last pool. */
    int firstCounter(int pool) {
        return pool < pools() ? firstCounters.get(pool) : limbs.size();
    }

    boolean isEquivalent(int one, int other) {
        return poolOf[one] == poolOf[other]
                && Arrays.equals(counters[one], counters[other])
                && Arrays.equals(amounts[one], amounts[other])
                && Arrays.equals(counterSets[one], counterSets[other])
                && Arrays.deepEquals(groups[one], groups[other]);
    }

    void addTo(Ints key) {
        key.add(pools());
        for (int device = 0; device < poolOf.length && !isEmpty(); device++) {
            key.add(poolOf[device]);
            key.add(counters[device].length);
            for (int i = 0; i < counters[device].length; i++) {
                key.add(counters[device][i]);
                key.add(amounts[device][i]);
            }
            for (int i = 0; i < counterSets[device].length; i++) {
                key.add(counterSets[device][i]);
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

    FreeCounters freeCounters(NodeLayout layout, NodeDeviceView view) {
        if (isEmpty()) {
            return new FreeCounters(NO_AMOUNTS, NO_GROUPS);
        }
        long[] remaining = new long[limbs.size()];
        int[][] common = new int[setCount][];
        int set = 0;
        for (int pool = 0; pool < pools(); pool++) {
            SharedCounters shared = view.candidates()
                    .get(layout.positions[firstUsers.get(pool)])
                    .counters()
                    .orElseThrow()
                    .pool();
            System.arraycopy(
                    shared.remaining(),
                    0,
                    remaining,
                    firstCounters.get(pool),
                    shared.limbs().size());
            if (shared.hasGroups()) {
                for (List<int[]> used : shared.usedGroups()) {
                    common[set++] = CompatibilityGroups.common(used);
                }
            } else {
                Arrays.fill(common, set, set + shared.setCount(), CompatibilityGroups.UNUSED);
                set += shared.setCount();
            }
        }
        return new FreeCounters(remaining, common);
    }

    /** Returns the counters without any allocation. */
    FreeCounters allCounters() {
        int[][] common = new int[setCount][];
        Arrays.fill(common, CompatibilityGroups.UNUSED);
        return new FreeCounters(declared.clone(), common);
    }

    /**
     * Free counters at one point.
     *
     * @param counters remaining amount per limb
     * @param groups per counter set, the common compatibility groups of its devices
     */
    record FreeCounters(long[] counters, int[][] groups) {
        FreeCounters copy() {
            return new FreeCounters(counters.clone(), groups.clone());
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

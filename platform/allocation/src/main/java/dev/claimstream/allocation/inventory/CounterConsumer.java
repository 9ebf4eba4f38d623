package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.CounterConsumption;
import java.util.List;

/** A device that consumes shared counters. Instances have identity equality. */
public final class CounterConsumer {
    final DeviceUsage usage;
    final List<CounterConsumption> consumption;
    final int number;
    final int[] counters;
    final long[] amounts;
    final int[] setIndexes;
    final int[][] groups;

    CounterConsumer(
            DeviceUsage usage,
            List<CounterConsumption> consumption,
            int number,
            int[] counters,
            long[] amounts,
            int[] setIndexes,
            int[][] groups) {
        this.usage = usage;
        this.consumption = consumption;
        this.number = number;
        this.counters = counters;
        this.amounts = amounts;
        this.setIndexes = setIndexes;
        this.groups = groups;
    }

    /** Returns the index in {@link SharedCounters#losses}. */
    public int number() {
        return number;
    }

    /** Returns the limb indexes of the consumed counters, ascending. */
    public int[] counters() {
        return counters.clone();
    }

    /** Returns the consumed amount per limb index. */
    public long[] amounts() {
        return amounts.clone();
    }

    /** Returns the indexes of the consumed counter sets, in the device's order. */
    public int[] setIndexes() {
        return setIndexes.clone();
    }

    /** Returns the indexes of the compatibility groups, ascending, per consumed counter set. */
    public List<int[]> groups() {
        return List.of(groups);
    }
}

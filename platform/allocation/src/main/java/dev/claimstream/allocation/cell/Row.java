package dev.claimstream.allocation.cell;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.PoolId;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A row of the cell state.
 *
 * <p>Rows are the whole state: they are kept in the changelog, and everything else is derived from them. The last row
 * or tombstone of a key counts.
 */
public sealed interface Row
        permits ObservedRow,
                SchedulingRow,
                ClaimRow,
                WorkBudgetRow,
                Row.AlarmRow,
                Row.ProbeRow,
                Row.CountRow,
                Row.SettingsRow {
    /** The key; unique across all row types. Its format is part of the changelog. */
    String key();

    /** An active alarm of a device. */
    record AlarmRow(Alarm alarm) implements Row {
        static final RowRange<AlarmRow> ALL = new RowRange<>(AlarmRow.class, "alarm/");

        static RowRange<AlarmRow> allOf(PoolId pool) {
            return ALL.within(pool.driver()).within(pool.pool());
        }

        static RowRange<AlarmRow> allOf(DeviceId device) {
            return allOf(device.poolId()).within(device.device());
        }

        static RowKey<AlarmRow> key(DeviceId device, Alarm.AlarmType type) {
            return allOf(device).key(type.toString());
        }

        @Override
        public String key() {
            return key(alarm.device(), alarm.type()).text();
        }
    }

    /**
     * A probe without an answer yet.
     *
     * @param slices work slices done since it arrived
     */
    record ProbeRow(String id, SortedSet<Integer> arrivedPartitions, int partitions, int slices) implements Row {
        static final RowRange<ProbeRow> ALL = new RowRange<>(ProbeRow.class, "probe/");

        public ProbeRow {
            arrivedPartitions = Collections.unmodifiableSortedSet(new TreeSet<>(arrivedPartitions));
        }

        static RowKey<ProbeRow> key(String id) {
            return ALL.key(id);
        }

        /** The same probe after one more work slice. */
        ProbeRow afterSlice() {
            return new ProbeRow(id, arrivedPartitions, partitions, slices + 1);
        }

        @Override
        public String key() {
            return key(id).text();
        }
    }

    /**
     * Counters of the cell.
     *
     * @param decisions number of the last decision
     * @param allocations items that were allocated new devices; earmarks count the allocations that overtake an item by it
     * @param offset offset of the last applied input
     */
    record CountRow(long decisions, long allocations, long offset) implements Row {
        static final RowKey<CountRow> KEY = new RowKey<>(CountRow.class, "count");

        /** Before the first input. */
        static final CountRow NONE = new CountRow(0, 0, -1);

        /** The same counters after a decision. */
        CountRow withDecisions(long number) {
            return new CountRow(number, allocations, offset);
        }

        /** The same counters after this many further allocations. */
        CountRow plusAllocations(int more) {
            return new CountRow(decisions, allocations + more, offset);
        }

        /** The same counters after an input. */
        CountRow withOffset(long applied) {
            return new CountRow(decisions, allocations, applied);
        }

        @Override
        public String key() {
            return KEY.text();
        }
    }

    /** The settings in effect. */
    record SettingsRow(CellSettings settings) implements Row {
        static final RowKey<SettingsRow> KEY = new RowKey<>(SettingsRow.class, "settings");

        @Override
        public String key() {
            return KEY.text();
        }
    }
}

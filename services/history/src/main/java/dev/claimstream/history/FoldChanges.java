package dev.claimstream.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What the fold has changed since the last flush. Not safe for several threads. */
public final class FoldChanges {
    private final List<Interval> intervals = new ArrayList<>();
    private final List<PendingPeriod> pending = new ArrayList<>();
    private final List<DevicePeriod> devices = new ArrayList<>();
    private final List<DeviceOverlap> overlaps = new ArrayList<>();
    private final List<ChangedRow> rows = new ArrayList<>();

    /** The tables of the fold's state. */
    public enum RowKind {
        CLAIM,
        POD,
        SLICE,
        LIST,
        INTERVAL,
        PENDING,
        DEVICE,
        COUNTER
    }

    /**
     * A changed row of the state.
     *
     * @param value empty if the row was removed
     * @param isStored whether an earlier flush has stored a row with this key
     */
    public record ChangedRow(RowKind kind, String key, Optional<Object> value, boolean isStored) {}

    void add(Interval ended) {
        intervals.add(ended);
    }

    void add(PendingPeriod ended) {
        pending.add(ended);
    }

    void add(DevicePeriod ended) {
        devices.add(ended);
    }

    void add(DeviceOverlap overlap) {
        overlaps.add(overlap);
    }

    void add(RowKind kind, String key, Optional<?> value, boolean isStored) {
        rows.add(new ChangedRow(kind, key, value.map(each -> (Object) each), isStored));
    }

    /** Intervals that have ended. */
    public List<Interval> intervals() {
        return intervals;
    }

    /** Pending periods that have ended. */
    public List<PendingPeriod> pending() {
        return pending;
    }

    /** Devices that are not published any more. */
    public List<DevicePeriod> devices() {
        return devices;
    }

    /** Violations of the rule that only shares of one device may overlap. */
    public List<DeviceOverlap> overlaps() {
        return overlaps;
    }

    /** Changed rows of the state, in no order. A row that was added and removed again is not among them. */
    public List<ChangedRow> rows() {
        return rows;
    }
}

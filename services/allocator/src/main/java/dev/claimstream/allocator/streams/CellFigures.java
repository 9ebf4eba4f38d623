package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.Alarm;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.SchedulingRow;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.router.RouterRow;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.allocation.solver.Reason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Numbers for the meters of one cell, counted over its whole state.
 *
 * @param claims claims by state and reason, each once; the reason of a shared claim is that of its first item in the scheduling queue
 * @param devices devices by driver, class and state
 * @param pendingItems number of pending items
 * @param alarms active alarms
 */
record CellFigures(
        SortedMap<List<String>, Long> claims,
        SortedMap<List<String>, Long> devices,
        long pendingItems,
        List<Alarm> alarms) {
    static final String ALLOCATED = "allocated";
    static final String PENDING = "pending";

    CellFigures {
        claims = Collections.unmodifiableSortedMap(claims);
        devices = Collections.unmodifiableSortedMap(devices);
        alarms = List.copyOf(alarms);
    }

    /** Counts a cell. The state must not change meanwhile. */
    static CellFigures of(State state, ClassLabels labels) {
        var claims = sums();
        state.decidedAllocations().forEach(_ -> add(claims, 1, ALLOCATED, ""));
        var unallocated = state.unallocated();
        long pending = 0;
        for (ItemId item : state.pending().values()) {
            if (state.isReturned(item)) {
                continue; // the router counts this item
            }
            pending++;
            String reason = state.item(item)
                    .flatMap(SchedulingRow.ItemRow::reason)
                    .map(Reason::name)
                    .orElse("");
            add(claims, unallocated.countFor(item), PENDING, reason);
        }
        var devices = sums();
        DeviceFigures.count(state, labels, devices);
        return new CellFigures(claims, devices, pending, state.alarms());
    }

    /** Counts the pending items and claims of the router. */
    static CellFigures of(RouterState state) {
        var claims = sums();
        var unallocated = state.unallocated();
        for (ItemId item : state.pending().values()) {
            state.item(item)
                    .flatMap(RouterRow.ItemLocationRow::reason)
                    .ifPresent(reason -> add(claims, unallocated.countFor(item), PENDING, reason.name()));
        }
        return new CellFigures(claims, sums(), state.pending().size(), List.of());
    }

    /** The sum over several cells. */
    static CellFigures sum(Iterable<CellFigures> all) {
        var claims = sums();
        var devices = sums();
        long pending = 0;
        List<Alarm> alarms = new ArrayList<>();
        for (CellFigures each : all) {
            merge(claims, each.claims);
            merge(devices, each.devices);
            pending += each.pendingItems;
            alarms.addAll(each.alarms);
        }
        return new CellFigures(claims, devices, pending, alarms);
    }

    private static void merge(SortedMap<List<String>, Long> into, Map<List<String>, Long> more) {
        more.forEach((labels, count) -> into.merge(labels, count, Long::sum));
    }

    private static SortedMap<List<String>, Long> sums() {
        return new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
    }

    private static void add(SortedMap<List<String>, Long> sums, long count, String... labels) {
        if (count != 0) {
            sums.merge(List.of(labels), count, Long::sum);
        }
    }
}

package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.Alarm;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Row;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.router.RouterRow;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Pod;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a cell holds, counted by looking at all of it.
 *
 * @param claims by state and reason
 * @param devices by driver, class and state
 * @param waiting items that wait
 * @param alarms that are not over
 */
record CellFigures(
        SortedMap<List<String>, Long> claims, SortedMap<List<String>, Long> devices, long waiting, List<Alarm> alarms) {
    static final String GRANTED = "granted";
    static final String WAITING = "waiting";

    CellFigures {
        claims = Collections.unmodifiableSortedMap(claims);
        devices = Collections.unmodifiableSortedMap(devices);
        alarms = List.copyOf(alarms);
    }

    /** Counts. The state must not change meanwhile. */
    static CellFigures of(State state, ClassLabels labels) {
        var claims = sums();
        state.rows().subMap("grant/", "grant0").values().forEach(row -> add(claims, 1, GRANTED, ""));
        long waiting = 0;
        for (ItemId item : state.waiting().values()) {
            if (state.isAway(item)) {
                continue; // the router counts it
            }
            waiting++;
            String reason = state.item(item)
                    .flatMap(Row.ItemRow::reason)
                    .map(Reason::name)
                    .orElse("");
            add(claims, claimsOf(state, item), WAITING, reason);
        }
        var devices = sums();
        DeviceFigures.count(state, labels, devices);
        return new CellFigures(claims, devices, waiting, state.alarms());
    }

    /** What waits at the router. */
    static CellFigures of(RouterState state) {
        var claims = sums();
        for (ItemId item : state.waiting().values()) {
            state.item(item)
                    .flatMap(RouterRow.ItemRow::reason)
                    .ifPresent(reason -> add(claims, state.claimsOf(item), WAITING, reason.name()));
        }
        return new CellFigures(claims, sums(), state.waiting().size(), List.of());
    }

    private static long claimsOf(State state, ItemId item) {
        return switch (item.sort()) {
            case CLAIM -> 1;
            case POD ->
                state.rows()
                                                .get("object/Pod/" + item.key().namespace() + "/"
                                                        + item.key().name())
                                        instanceof Row.ObjectRow row
                                && row.content().orElse(null) instanceof Pod pod
                        ? pod.resourceClaims().size()
                        : 1;
        };
    }

    /** The sum of these, of several cells. */
    static CellFigures sum(Iterable<CellFigures> all) {
        var claims = sums();
        var devices = sums();
        long waiting = 0;
        List<Alarm> alarms = new ArrayList<>();
        for (CellFigures each : all) {
            merge(claims, each.claims);
            merge(devices, each.devices);
            waiting += each.waiting;
            alarms.addAll(each.alarms);
        }
        return new CellFigures(claims, devices, waiting, alarms);
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

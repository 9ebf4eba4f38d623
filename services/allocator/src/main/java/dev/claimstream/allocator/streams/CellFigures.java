package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.Alarm;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Row;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.inventory.Holding;
import dev.claimstream.allocation.inventory.Inventory;
import dev.claimstream.allocation.inventory.NodeView;
import dev.claimstream.allocation.router.RouterRow;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
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
 * @param devices by driver and state
 * @param waiting items that wait
 * @param alarms that are not over
 */
record CellFigures(
        SortedMap<List<String>, Long> claims, SortedMap<List<String>, Long> devices, long waiting, List<Alarm> alarms) {
    static final String GRANTED = "granted";
    static final String WAITING = "waiting";
    static final String FREE = "free";
    static final String HELD = "held";
    static final String UNUSABLE = "unusable";

    CellFigures {
        claims = Collections.unmodifiableSortedMap(claims);
        devices = Collections.unmodifiableSortedMap(devices);
        alarms = List.copyOf(alarms);
    }

    /** Counts. The state must not change meanwhile. */
    static CellFigures of(State state) {
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
        return new CellFigures(claims, devices(state.inventory(), state.place().isAlone()), waiting, state.alarms());
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

    /** Of several cells each counts what is in its own pools. */
    private static SortedMap<List<String>, Long> devices(Inventory inventory, boolean isAlone) {
        var devices = sums();
        SortedMap<String, Long> heldUnpublished = new TreeMap<>();
        for (Holding holding : inventory.holdings()) {
            boolean isOurs =
                    isAlone || inventory.pools().containsKey(holding.device().poolId());
            if (isOurs && !holding.isFree()) {
                heldUnpublished.merge(holding.device().driver(), 1L, Long::sum);
            }
        }
        inventory.pools().forEach((pool, slices) -> {
            long newest = slices.values().stream()
                    .mapToLong(ResourceSlice::generation)
                    .max()
                    .orElse(0);
            slices.values().stream()
                    .filter(slice -> slice.generation() == newest)
                    .forEach(slice -> count(inventory, pool, slice, devices, heldUnpublished));
        });
        heldUnpublished.forEach((driver, count) -> add(devices, count, driver, HELD));
        return devices;
    }

    private static void count(
            Inventory inventory,
            PoolId pool,
            ResourceSlice slice,
            SortedMap<List<String>, Long> devices,
            SortedMap<String, Long> heldUnpublished) {
        long held = slice.devices().stream()
                .map(device -> new DeviceId(pool.driver(), pool.pool(), device.name()))
                .filter(id ->
                        inventory.holding(id).filter(each -> !each.isFree()).isPresent())
                .count();
        add(devices, held, pool.driver(), HELD);
        heldUnpublished.merge(pool.driver(), -held, Long::sum);
        add(devices, slice.devices().size() - held, pool.driver(), isUsable(inventory, pool, slice) ? FREE : UNUSABLE);
    }

    /** A device that several nodes reach counts as usable: it takes one of them. */
    private static boolean isUsable(Inventory inventory, PoolId pool, ResourceSlice slice) {
        return !(slice.scope() instanceof NodeScope.OnNode on)
                || inventory
                        .view(on.node())
                        .filter(NodeView::isUsable)
                        .filter(view -> !view.incompletePools().contains(pool)
                                && !view.invalidPools().contains(pool))
                        .isPresent();
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

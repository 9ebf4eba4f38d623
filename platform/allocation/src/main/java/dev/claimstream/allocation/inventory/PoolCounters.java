package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.PoolId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Caches the shared counters of each pool. Nodes that see the same slices of a pool share its counters. */
final class PoolCounters {
    private final DeviceUsageIndex usages;
    private final Map<PoolId, List<SharedCounters>> byPool = new LinkedHashMap<>();

    PoolCounters(DeviceUsageIndex usages) {
        this.usages = usages;
    }

    /** Returns the counters of a pool as a node sees them. */
    SharedCounters of(VisiblePool pool) {
        List<SharedCounters> known = byPool.computeIfAbsent(pool.id(), id -> new ArrayList<>());
        for (SharedCounters each : known) {
            if (each.slices().equals(pool.counterSlices())) {
                return each;
            }
        }
        var counters = new SharedCounters(pool.counterSlices(), usages::getOrCreate);
        known.add(counters);
        return counters;
    }

    /** Discards the amounts of a pool after the usage of one of its devices has changed. */
    void invalidateAmounts(PoolId pool) {
        byPool.getOrDefault(pool, List.of()).forEach(SharedCounters::invalidate);
    }

    /** Removes the counters of a pool whose slices changed. */
    void remove(PoolId pool) {
        byPool.remove(pool);
    }

    void clear() {
        byPool.clear();
    }
}

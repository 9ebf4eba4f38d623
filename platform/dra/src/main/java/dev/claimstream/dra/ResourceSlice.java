package dev.claimstream.dra;

import java.util.List;

/**
 * A part of a pool, published by a driver.
 *
 * @param generation the highest of a pool counts
 * @param resourceSliceCount how many slices make this generation complete
 */
public record ResourceSlice(
        ObjectMeta meta,
        String driver,
        String pool,
        long generation,
        long resourceSliceCount,
        NodeScope scope,
        List<Device> devices,
        List<CounterSet> sharedCounters)
        implements ClusterObject {
    public ResourceSlice {
        devices = List.copyOf(devices);
        sharedCounters = List.copyOf(sharedCounters);
    }

    @Override
    public Kind kind() {
        return Kind.RESOURCE_SLICE;
    }

    /** The pool that it is a part of. */
    public PoolId poolId() {
        return new PoolId(driver, pool);
    }
}

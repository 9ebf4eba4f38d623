package dev.claimstream.dra;

import java.util.List;

/**
 * A slice of a pool, published by a driver.
 *
 * @param generation the pool generation; only the newest one of a pool is used
 * @param resourceSliceCount the number of slices in this generation
 * @param skipNodeOperations driver operations that the kubelet may skip for these devices, for example {@code NodePrepareResources}
 */
public record ResourceSlice(
        ObjectMeta meta,
        String driver,
        String pool,
        long generation,
        long resourceSliceCount,
        NodeScope scope,
        List<Device> devices,
        List<CounterSet> sharedCounters,
        List<String> skipNodeOperations)
        implements ClusterObject {
    public ResourceSlice {
        devices = List.copyOf(devices);
        sharedCounters = List.copyOf(sharedCounters);
        skipNodeOperations = List.copyOf(skipNodeOperations);
    }

    /** Returns a builder of the only slice of a pool, of generation 0, without devices. */
    public static ResourceSliceBuilder builder(ObjectMeta meta, String driver, String pool) {
        return new ResourceSliceBuilder(meta, driver, pool);
    }

    /** Returns a builder with the components of this record. */
    public ResourceSliceBuilder toBuilder() {
        return builder(meta, driver, pool)
                .generation(generation)
                .resourceSliceCount(resourceSliceCount)
                .scope(scope)
                .devices(devices)
                .sharedCounters(sharedCounters)
                .skipNodeOperations(skipNodeOperations);
    }

    @Override
    public Kind kind() {
        return Kind.RESOURCE_SLICE;
    }

    /** Returns a copy without devices and counters, which identifies pool and nodes only. */
    public ResourceSlice withoutDevices() {
        return toBuilder().devices(List.of()).sharedCounters(List.of()).build();
    }

    public PoolId poolId() {
        return new PoolId(driver, pool);
    }
}

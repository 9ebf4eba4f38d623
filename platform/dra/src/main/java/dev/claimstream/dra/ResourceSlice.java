package dev.claimstream.dra;

import java.util.List;

/**
 * A part of a pool, published by a driver.
 *
 * @param generation the highest of a pool counts
 * @param resourceSliceCount how many slices make this generation complete
 * @param skipNodeOperations what the kubelet need not ask the driver to do for these devices, for example {@code
 *     NodePrepareResources}
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

    /** A slice whose devices need every operation on their node. */
    public ResourceSlice(
            ObjectMeta meta,
            String driver,
            String pool,
            long generation,
            long resourceSliceCount,
            NodeScope scope,
            List<Device> devices,
            List<CounterSet> sharedCounters) {
        this(meta, driver, pool, generation, resourceSliceCount, scope, devices, sharedCounters, List.of());
    }

    @Override
    public Kind kind() {
        return Kind.RESOURCE_SLICE;
    }

    /** The same for those who ask where it is and not what it offers. */
    public ResourceSlice withoutDevices() {
        return new ResourceSlice(
                meta, driver, pool, generation, resourceSliceCount, scope, List.of(), List.of(), skipNodeOperations);
    }

    /** The pool that it is a part of. */
    public PoolId poolId() {
        return new PoolId(driver, pool);
    }
}

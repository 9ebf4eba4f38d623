package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Toleration;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;

/** Counts the devices of a cell by driver, class and state, each device once. */
final class DeviceFigures {
    static final String FREE = "free";
    static final String ALLOCATED = "allocated";
    static final String TAINTED = "tainted";
    static final String UNUSABLE = "unusable";
    static final String LOST = "lost";

    private final State state;
    private final DeviceInventory inventory;
    private final ClassLabels labels;
    private final SortedMap<List<String>, Long> counts;

    private DeviceFigures(State state, ClassLabels labels, SortedMap<List<String>, Long> counts) {
        this.state = state;
        this.inventory = state.inventory();
        this.labels = labels;
        this.counts = counts;
    }

    /** Counts the devices of one cell. Each of several cells counts the devices of its own pools. */
    static void count(State state, ClassLabels labels, SortedMap<List<String>, Long> counts) {
        var figures = new DeviceFigures(state, labels, counts);
        labels.begin(state);
        figures.inventory.slices().pools().forEach((pool, slices) -> figures.count(pool, slices.values()));
        if (state.identity().isSingleCell()) {
            figures.inventory.usages().poolsInUse().stream()
                    .filter(pool -> !figures.inventory.slices().pools().containsKey(pool))
                    .forEach(pool -> figures.countUnpublished(pool, 0));
        }
    }

    private void count(PoolId pool, Collection<ResourceSlice> slices) {
        long newest = slices.stream().mapToLong(ResourceSlice::generation).max().orElse(0);
        long allocated = slices.stream()
                .filter(slice -> slice.generation() == newest)
                .mapToLong(slice -> count(pool, slice))
                .sum();
        countUnpublished(pool, allocated);
    }

    /** Counts the devices of a slice; returns how many of them are allocated. */
    private long count(PoolId pool, ResourceSlice slice) {
        boolean isUsable = isUsable(pool, slice);
        List<String> classes = labels.of(state, slice);
        long allocated = 0;
        for (int i = 0; i < classes.size(); i++) {
            Device device = slice.devices().get(i);
            boolean isAllocated = isAllocated(new DeviceId(pool.driver(), pool.pool(), device.name()));
            allocated += isAllocated ? 1 : 0;
            add(pool.driver(), classes.get(i), isAllocated ? ALLOCATED : stateOf(isUsable, slice, device), 1);
        }
        return allocated;
    }

    private boolean isAllocated(DeviceId device) {
        return inventory.usages().find(device).filter(each -> !each.isFree()).isPresent();
    }

    private String stateOf(boolean isUsable, ResourceSlice slice, Device device) {
        if (!isUsable) {
            return UNUSABLE;
        }
        return isTainted(slice, device) ? TAINTED : FREE;
    }

    /** Whether the device has a taint that a claim must tolerate. */
    private boolean isTainted(ResourceSlice slice, Device device) {
        return inventory.features().has(Feature.DEVICE_TAINTS)
                && Toleration.firstUntolerated(
                                inventory.applyTaintRules(slice, device).taints(), List.of())
                        .isPresent();
    }

    /** Whether the pool of a slice is usable. A device that several nodes can reach always counts as usable. */
    private boolean isUsable(PoolId pool, ResourceSlice slice) {
        return !(slice.scope() instanceof NodeScope.SingleNode on)
                || inventory
                        .view(on.node())
                        .filter(NodeDeviceView::isUsable)
                        .filter(view -> !view.incompletePools().contains(pool)
                                && !view.invalidPools().contains(pool))
                        .isPresent();
    }

    /**
     * Counts allocated devices that no slice publishes.
     *
     * <p>Such a device is lost if its pool is complete or was deleted. Otherwise its slice has not been observed yet.
     */
    private void countUnpublished(PoolId pool, long allocatedOfPublished) {
        long unpublished = inventory.usages().usedDevices(pool).size() - allocatedOfPublished;
        if (unpublished > 0) {
            boolean isLost = inventory.slices().published(pool).isPresent() || state.isPoolDeleted(pool);
            add(pool.driver(), ClassLabels.NONE, isLost ? LOST : ALLOCATED, unpublished);
        }
    }

    private void add(String driver, String className, String name, long count) {
        counts.merge(List.of(driver, className, name), count, Long::sum);
    }
}

package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.CounterSet;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A pool as seen from one node.
 *
 * @param slices the slices of the newest generation that list devices for this node, by name; empty unless the pool is usable
 * @param counterSlices the slices that declare or consume counters, including those of other nodes; empty if no device here consumes counters
 */
public record VisiblePool(PoolId id, PoolState state, List<ResourceSlice> slices, List<ResourceSlice> counterSlices) {
    public VisiblePool {
        slices = List.copyOf(slices);
        counterSlices = List.copyOf(counterSlices);
    }

    /** Whether devices of the pool can be allocated. */
    public enum PoolState {
        /** All slices of the generation are present and consistent. */
        USABLE,
        /** Slices of the generation are missing, or there are too many. */
        INCOMPLETE,
        /** Device or counter set names are duplicated, or a device consumes an undeclared counter. */
        INVALID
    }

    /** Returns whether a device has binding conditions. Upstream tries such pools last. */
    boolean hasBindingConditions() {
        return slices.stream()
                .flatMap(slice -> slice.devices().stream())
                .anyMatch(device -> !device.bindingConditions().isEmpty());
    }

    /**
     * Returns the pool as seen from a node, in a list of at most one element.
     *
     * <p>The list is empty if no slice concerns the node, or if the node's slices are incomplete and a newer generation exists elsewhere.
     *
     * <p>Upstream: {@code GatherPools}, {@code checkSlicesInPool} and {@code buildPool} of the structured allocator.
     *
     * @param all every slice of the pool, by name
     */
    static List<VisiblePool> of(PoolId id, Collection<ResourceSlice> all, NodeReach reach, FeatureGates features) {
        List<ResourceSlice> concerned = all.stream()
                .filter(slice -> isSupported(slice, features) && reach.reaches(slice))
                .toList();
        if (concerned.isEmpty()) {
            return List.of();
        }
        long generation =
                concerned.stream().mapToLong(ResourceSlice::generation).max().orElseThrow();
        List<ResourceSlice> group = concerned.stream()
                .filter(slice -> slice.generation() == generation)
                .toList();
        List<ResourceSlice> elsewhere = new ArrayList<>();
        long expected = group.getFirst().resourceSliceCount();
        if (group.size() != expected) {
            if (all.stream().anyMatch(slice -> slice.generation() > generation)) {
                return List.of();
            }
            all.stream()
                    .filter(slice -> slice.generation() == generation && !group.contains(slice))
                    .filter(slice -> features.has(Feature.DEVICE_COMPATIBILITY_GROUPS) || !hasGroups(slice))
                    .forEach(elsewhere::add);
            if (group.size() + elsewhere.size() != expected) {
                return List.of(new VisiblePool(id, PoolState.INCOMPLETE, List.of(), List.of()));
            }
        }
        return List.of(build(id, group, elsewhere, features.has(Feature.PARTITIONABLE_DEVICES)));
    }

    private static VisiblePool build(
            PoolId id, List<ResourceSlice> group, List<ResourceSlice> elsewhere, boolean hasCounters) {
        List<ResourceSlice> here = group.stream()
                .filter(slice -> !hasCounters || !declaresCounters(slice))
                .toList();
        List<ResourceSlice> sharing = new ArrayList<>();
        if (hasCounters) {
            sharing.addAll(here);
            sharing.addAll(
                    elsewhere.stream().filter(slice -> !declaresCounters(slice)).toList());
            group.stream()
                    .filter(VisiblePool::declaresCounters)
                    .map(VisiblePool::countersOnly)
                    .forEach(sharing::add);
            elsewhere.stream()
                    .filter(VisiblePool::declaresCounters)
                    .map(VisiblePool::countersOnly)
                    .forEach(sharing::add);
        }
        if (!namesAreUnique(here) || !countersAreDeclared(sharing)) {
            return new VisiblePool(id, PoolState.INVALID, List.of(), List.of());
        }
        boolean isSharing = here.stream()
                .flatMap(slice -> slice.devices().stream())
                .anyMatch(device -> !device.consumesCounters().isEmpty());
        return new VisiblePool(id, PoolState.USABLE, here, isSharing ? sharing : List.of());
    }

    /** Returns whether the enabled features cover the slice. Other slices count as missing. */
    private static boolean isSupported(ResourceSlice slice, FeatureGates features) {
        boolean needsPartitions = slice.scope() instanceof NodeScope.PerDevice || declaresCounters(slice);
        return (features.has(Feature.PARTITIONABLE_DEVICES) || !needsPartitions)
                && (features.has(Feature.DEVICE_COMPATIBILITY_GROUPS) || !hasGroups(slice));
    }

    private static boolean declaresCounters(ResourceSlice slice) {
        return !slice.sharedCounters().isEmpty();
    }

    /** Returns the slice without devices: devices of a slice that declares counters are ignored. */
    private static ResourceSlice countersOnly(ResourceSlice slice) {
        return slice.devices().isEmpty()
                ? slice
                : slice.toBuilder()
                        .devices(List.of())
                        .skipNodeOperations(List.of())
                        .build();
    }

    private static boolean hasGroups(ResourceSlice slice) {
        return slice.devices().stream()
                .flatMap(device -> device.consumesCounters().stream())
                .anyMatch(each -> !each.compatibilityGroups().isEmpty());
    }

    private static boolean namesAreUnique(List<ResourceSlice> slices) {
        var names = new TreeSet<String>();
        return slices.stream()
                .flatMap(slice -> slice.devices().stream())
                .map(Device::name)
                .allMatch(names::add);
    }

    /** Returns whether all consumed counters are declared and no counter set is declared twice. */
    private static boolean countersAreDeclared(List<ResourceSlice> slices) {
        Map<String, CounterSet> sets = new TreeMap<>();
        for (ResourceSlice slice : slices) {
            for (CounterSet set : slice.sharedCounters()) {
                if (sets.put(set.name(), set) != null) {
                    return false;
                }
            }
        }
        return slices.stream()
                .flatMap(slice -> slice.devices().stream())
                .flatMap(device -> device.consumesCounters().stream())
                .allMatch(each -> {
                    CounterSet set = sets.get(each.counterSet());
                    return set != null
                            && set.counters()
                                    .keySet()
                                    .containsAll(each.counters().keySet());
                });
    }
}

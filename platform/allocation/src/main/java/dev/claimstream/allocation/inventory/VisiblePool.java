package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeSet;

/**
 * A pool as one node sees it.
 *
 * @param slices the slices of the newest generation that concern this node, by name; none unless the pool is usable
 */
public record VisiblePool(PoolId id, State state, List<ResourceSlice> slices) {
    public VisiblePool {
        slices = List.copyOf(slices);
    }

    /** What can be done with a pool. */
    public enum State {
        /** All slices of its generation are here and agree. */
        USABLE,
        /** Slices of its generation are missing, or there are too many. */
        INCOMPLETE,
        /** Two devices have one name. */
        INVALID
    }

    /** Whether drivers ask to try this pool after all others: some device has binding conditions. */
    boolean comesLast() {
        return slices.stream()
                .flatMap(slice -> slice.devices().stream())
                .anyMatch(device -> !device.bindingConditions().isEmpty());
    }

    /**
     * The pool seen from a node, or nothing where it has nothing for this node or a newer generation stands elsewhere.
     *
     * <p>Upstream: {@code GatherPools} and {@code checkSlicesInPool} of the structured allocator.
     *
     * @param all every slice of the pool, by name
     */
    static List<VisiblePool> of(PoolId id, SortedMap<String, ResourceSlice> all, NodeReach reach) {
        List<ResourceSlice> concerned =
                all.values().stream().filter(reach::reaches).toList();
        if (concerned.isEmpty()) {
            return List.of();
        }
        long generation =
                concerned.stream().mapToLong(ResourceSlice::generation).max().orElseThrow();
        List<ResourceSlice> group = concerned.stream()
                .filter(slice -> slice.generation() == generation)
                .toList();
        long expected = group.getFirst().resourceSliceCount();
        if (group.size() != expected) {
            if (all.values().stream().anyMatch(slice -> slice.generation() > generation)) {
                return List.of();
            }
            long everywhere = all.values().stream()
                    .filter(slice -> slice.generation() == generation)
                    .count();
            if (everywhere != expected) {
                return List.of(new VisiblePool(id, State.INCOMPLETE, List.of()));
            }
        }
        return List.of(
                namesAreUnique(group)
                        ? new VisiblePool(id, State.USABLE, group)
                        : new VisiblePool(id, State.INVALID, List.of()));
    }

    private static boolean namesAreUnique(List<ResourceSlice> slices) {
        var names = new TreeSet<String>();
        return slices.stream()
                .flatMap(slice -> slice.devices().stream())
                .map(Device::name)
                .allMatch(names::add);
    }
}

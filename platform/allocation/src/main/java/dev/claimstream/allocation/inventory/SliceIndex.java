package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The published slices of a cell, by pool and by node, with a log of their changes.
 *
 * <p>A pool is shared if one of its slices may reach several nodes. All slices of the other pools have node selection {@code nodeName}.
 */
public final class SliceIndex {
    private final SortedMap<PoolId, SortedMap<String, ResourceSlice>> pools = new TreeMap<>();
    private final SortedMap<String, SortedSet<PoolId>> localPools = new TreeMap<>();
    private final SortedSet<PoolId> sharedPools = new TreeSet<>();
    private final SliceChangeLog changes = new SliceChangeLog();
    private long devices;

    // ---- updates

    void put(ResourceSlice slice) {
        change(slice, slices -> slices.put(slice.meta().name(), slice));
    }

    void remove(ResourceSlice slice) {
        change(slice, slices -> slices.remove(slice.meta().name()));
    }

    private void change(ResourceSlice slice, Consumer<SortedMap<String, ResourceSlice>> change) {
        PoolId id = slice.poolId();
        changes.add(SliceId.of(slice));
        SortedMap<String, ResourceSlice> slices = pools.computeIfAbsent(id, key -> new TreeMap<>());
        unlink(id, slices);
        devices -= count(slices);
        change.accept(slices);
        devices += count(slices);
        slices.values().forEach(each -> link(id, each.scope()));
        if (slices.isEmpty()) {
            pools.remove(id);
        }
    }

    private static long count(SortedMap<String, ResourceSlice> slices) {
        return slices.values().stream()
                .mapToLong(slice -> slice.devices().size())
                .sum();
    }

    private void unlink(PoolId id, SortedMap<String, ResourceSlice> slices) {
        slices.values().forEach(slice -> {
            if (slice.scope() instanceof NodeScope.SingleNode on) {
                localPools.getOrDefault(on.node(), new TreeSet<>()).remove(id);
            }
        });
        sharedPools.remove(id);
    }

    private void link(PoolId id, NodeScope scope) {
        switch (scope) {
            case NodeScope.SingleNode on ->
                localPools.computeIfAbsent(on.node(), node -> new TreeSet<>()).add(id);
            case NodeScope.AllNodes all -> sharedPools.add(id);
            case NodeScope.MatchingNodes matching -> sharedPools.add(id);
            case NodeScope.PerDevice perDevice -> sharedPools.add(id);
            case NodeScope.UnknownScope unset -> {}
        }
    }

    // ---- changes

    /** Returns the end offset of the slice change log. */
    public long changesEnd() {
        return changes.end();
    }

    /** Returns the slices that changed since an offset; absent if the log no longer contains the offset. */
    public Optional<SortedSet<SliceId>> changedSince(long offset) {
        return changes.since(offset);
    }

    // ---- slices

    /** Returns all slices, by pool and name. */
    public SortedMap<PoolId, SortedMap<String, ResourceSlice>> pools() {
        return Collections.unmodifiableSortedMap(pools);
    }

    /** Returns the IDs of all published slices. */
    public SortedSet<SliceId> ids() {
        var ids = new TreeSet<SliceId>();
        pools.forEach((pool, slices) -> slices.keySet().forEach(name -> ids.add(new SliceId(pool, name))));
        return ids;
    }

    /** Returns a slice; absent if it is not published. */
    public Optional<ResourceSlice> slice(SliceId id) {
        return Optional.ofNullable(pools.get(id.pool())).flatMap(slices -> Optional.ofNullable(slices.get(id.name())));
    }

    /** Returns the number of devices in all slices. */
    public long devices() {
        return devices;
    }

    /** Returns a device as published in the newest generation that contains it. */
    public Optional<Device> published(DeviceId id) {
        return slicesOf(id.poolId()).stream()
                .sorted(Comparator.comparingLong(ResourceSlice::generation).reversed())
                .flatMap(slice -> slice.devices().stream())
                .filter(device -> device.name().equals(id.device()))
                .findFirst();
    }

    // ---- pools

    public boolean isKnown(PoolId pool) {
        return pools.containsKey(pool);
    }

    /** Returns the device names of a pool's newest generation; absent if the generation is incomplete. */
    public Optional<SortedSet<String>> published(PoolId pool) {
        List<ResourceSlice> newest = newestGeneration(pool);
        if (newest.isEmpty()) {
            return Optional.empty();
        }
        var names = new TreeSet<String>();
        newest.forEach(slice -> slice.devices().forEach(device -> names.add(device.name())));
        return Optional.of(names);
    }

    /** Returns the slices of the newest generation; empty if the generation is incomplete. */
    List<ResourceSlice> newestGeneration(PoolId pool) {
        Collection<ResourceSlice> all = slicesOf(pool);
        long generation =
                all.stream().mapToLong(ResourceSlice::generation).max().orElse(-1);
        List<ResourceSlice> newest =
                all.stream().filter(slice -> slice.generation() == generation).toList();
        return newest.isEmpty() || newest.size() != newest.getFirst().resourceSliceCount() ? List.of() : newest;
    }

    /** Returns the slices of a pool, by name. */
    Collection<ResourceSlice> slicesOf(PoolId pool) {
        SortedMap<String, ResourceSlice> slices = pools.get(pool);
        return slices == null ? List.of() : slices.values();
    }

    // ---- nodes

    /** Returns the slices with node selection {@code nodeName} for this node. */
    public List<ResourceSlice> on(String node) {
        return localPools.getOrDefault(node, new TreeSet<>()).stream()
                .flatMap(pool -> slicesOf(pool).stream())
                .filter(slice -> slice.scope() instanceof NodeScope.SingleNode on
                        && on.node().equals(node))
                .toList();
    }

    /** Returns whether every slice of a pool has node selection {@code nodeName} for this node. */
    public boolean isOnlyOn(PoolId pool, String node) {
        return slicesOf(pool).stream()
                .allMatch(slice -> slice.scope() instanceof NodeScope.SingleNode on
                        && on.node().equals(node));
    }

    boolean isShared(PoolId pool) {
        return sharedPools.contains(pool);
    }

    /** Visits the node of each slice with node selection {@code nodeName}. A node can be visited more than once. */
    void visitNodes(PoolId pool, Consumer<String> visitor) {
        for (ResourceSlice slice : slicesOf(pool)) {
            if (slice.scope() instanceof NodeScope.SingleNode on) {
                visitor.accept(on.node());
            }
        }
    }

    /** Returns the pools that may have devices for a node: its own and all shared pools. */
    SortedSet<PoolId> poolsFor(String node) {
        SortedSet<PoolId> ids = new TreeSet<>(sharedPools);
        ids.addAll(localPools.getOrDefault(node, new TreeSet<>()));
        return ids;
    }
}

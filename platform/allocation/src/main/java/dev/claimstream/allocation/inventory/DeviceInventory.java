package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceList;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Taint;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The devices, nodes and device usage of one cell, derived from the cell's rows.
 *
 * <p>Updates change the inventory in place. Node views are cached: updates mark them as outdated, and the next read rebuilds them. Change
 * logs let indexes read only the changed nodes and slices. Not thread-safe.
 */
public final class DeviceInventory {
    private final SortedMap<PoolId, SortedMap<String, ResourceSlice>> pools = new TreeMap<>();
    private final SortedMap<String, SortedSet<PoolId>> localPools = new TreeMap<>();
    private final SortedSet<PoolId> sharedPools = new TreeSet<>();
    private final SortedMap<String, Node> nodes = new TreeMap<>();
    private final SortedSet<String> silent = new TreeSet<>();
    private final SortedMap<String, DeviceTaintRule> taintRules = new TreeMap<>();
    private final DeviceUsageIndex usages = new DeviceUsageIndex();
    private Function<DeviceUsage.UsageEntry, String> usageStates = _ -> "";
    private final Map<String, NodeDeviceView> views = new LinkedHashMap<>();
    private final Map<String, ResourceList> reservedNodeResources = new LinkedHashMap<>();
    private final List<NodeDeviceView> byOrdinal = new ArrayList<>();
    private final SortedSet<String> invalidated = new TreeSet<>();
    private final NodeChangeLog nodeChanges = new NodeChangeLog();
    private final SliceChangeLog sliceChanges = new SliceChangeLog();
    private final Map<PoolId, List<PoolCounters>> poolCounters = new LinkedHashMap<>();
    private FeatureGates features = FeatureGates.defaults();
    private long devices;
    private boolean allInvalidated;
    private long version;

    /** The counters of a pool as declared and consumed by one set of visible slices. Nodes that see the same slices share them. */
    private record PoolCounters(List<ResourceSlice> slices, SharedCounters counters) {}

    // ---- updates

    /** Adds or replaces a slice. */
    public void put(ResourceSlice slice) {
        sliceChanges.add(SliceId.of(slice));
        changePool(slice.poolId(), slices -> slices.put(slice.meta().name(), slice));
    }

    /** Removes a slice. */
    public void remove(ResourceSlice slice) {
        sliceChanges.add(SliceId.of(slice));
        changePool(slice.poolId(), slices -> slices.remove(slice.meta().name()));
    }

    /** Adds or replaces a node. */
    public void put(Node node) {
        nodes.put(node.meta().name(), node);
        invalidate(node.meta().name());
    }

    /** Removes a node. */
    public void removeNode(String name) {
        nodes.remove(name);
        invalidate(name);
    }

    /** Sets whether a node is silent: its agent sends no heartbeats. A silent node is not usable. */
    public void setSilent(String node, boolean isSilent) {
        if (isSilent ? silent.add(node) : silent.remove(node)) {
            invalidate(node);
        }
    }

    /** Adds or replaces a taint rule. */
    public void put(DeviceTaintRule rule) {
        taintRules.put(rule.meta().name(), rule);
        invalidateAll();
    }

    /** Removes a taint rule. */
    public void removeTaintRule(String name) {
        if (taintRules.remove(name) != null) {
            invalidateAll();
        }
    }

    /** Replaces the feature gates. A change invalidates all node views and counters. */
    public void setFeatures(FeatureGates changed) {
        if (!features.equals(changed)) {
            features = changed;
            poolCounters.clear();
            invalidateAll();
        }
    }

    /** Sets the function that describes how an entry uses its device, in a few words. It returns "" for unknown entries. */
    public void setUsageStates(Function<DeviceUsage.UsageEntry, String> states) {
        usageStates = states;
    }

    /** Returns how an entry uses its device, in a few words; empty if unknown. */
    public String stateOf(DeviceUsage.UsageEntry holder) {
        return usageStates.apply(holder);
    }

    /** Records that a claim uses a device. The device need not be published. */
    public void addUsage(DeviceResult result, String claimUid, ObjectKey claim) {
        usages.add(result, claimUid, claim);
        recordUsageChange(result.device());
    }

    /** Removes the use of a device by a claim, with all shares. */
    public void removeUsage(DeviceId device, String claimUid) {
        if (usages.remove(device, claimUid)) {
            recordUsageChange(device);
        }
    }

    /** Adds the requests of a pod to the reserved resources of a node. The node need not exist. */
    public void reserveNodeResources(String node, ResourceList requests) {
        setReserved(
                node,
                reservedNodeResources.getOrDefault(node, ResourceList.none()).plus(requests));
    }

    /** Subtracts the requests of a pod from the reserved resources of a node. */
    public void releaseNodeResources(String node, ResourceList requests) {
        setReserved(
                node,
                reservedNodeResources.getOrDefault(node, ResourceList.none()).minus(requests));
    }

    private void setReserved(String node, ResourceList now) {
        if (now.isNone()) {
            reservedNodeResources.remove(node);
        } else {
            reservedNodeResources.put(node, now);
        }
        NodeDeviceView view = views.get(node);
        if (view != null) {
            view.setReserved(now);
            recordNodeChange(view.ordinal());
        }
    }

    private void changePool(PoolId id, Consumer<SortedMap<String, ResourceSlice>> change) {
        SortedMap<String, ResourceSlice> slices = pools.computeIfAbsent(id, key -> new TreeMap<>());
        unlink(id, slices);
        poolCounters.remove(id);
        devices -= count(slices);
        change.accept(slices);
        devices += count(slices);
        slices.values().forEach(slice -> link(id, slice.scope()));
        if (slices.isEmpty()) {
            pools.remove(id);
        }
        version++;
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
                invalidate(on.node());
            }
        });
        if (sharedPools.remove(id)) {
            invalidateAll();
        }
    }

    private void link(PoolId id, NodeScope scope) {
        switch (scope) {
            case NodeScope.SingleNode on -> {
                localPools.computeIfAbsent(on.node(), node -> new TreeSet<>()).add(id);
                invalidate(on.node());
            }
            case NodeScope.AllNodes all -> linkShared(id);
            case NodeScope.MatchingNodes matching -> linkShared(id);
            case NodeScope.PerDevice perDevice -> linkShared(id);
            case NodeScope.UnknownScope unset -> {}
        }
    }

    private void linkShared(PoolId id) {
        sharedPools.add(id);
        invalidateAll();
    }

    private void invalidate(String node) {
        invalidated.add(node);
        version++;
    }

    private void invalidateAll() {
        allInvalidated = true;
        version++;
    }

    private void recordUsageChange(DeviceId device) {
        poolCounters.getOrDefault(device.poolId(), List.of()).forEach(each -> each.counters.invalidate());
        SortedMap<String, ResourceSlice> slices = pools.get(device.poolId());
        if (slices == null) {
            return;
        }
        if (sharedPools.contains(device.poolId())) {
            byOrdinal.stream()
                    .filter(NodeDeviceView::reachesSharedDevices)
                    .forEach(view -> recordNodeChange(view.ordinal()));
            return;
        }
        for (ResourceSlice slice : slices.values()) {
            NodeDeviceView view = slice.scope() instanceof NodeScope.SingleNode on ? views.get(on.node()) : null;
            if (view != null) {
                recordNodeChange(view.ordinal());
                if (slices.size() == 1) {
                    return;
                }
            }
        }
    }

    private void recordNodeChange(int ordinal) {
        nodeChanges.add(ordinal, byOrdinal.size());
    }

    // ---- reads

    /** Returns a number that changes with every update except those of device usage and reserved resources. */
    public long version() {
        return version;
    }

    /** Returns the views of all nodes observed so far, by ordinal. Deleted nodes stay and are not usable. */
    public List<NodeDeviceView> views() {
        refresh();
        return Collections.unmodifiableList(byOrdinal);
    }

    /** Returns the view of a node. */
    public Optional<NodeDeviceView> view(String node) {
        refresh();
        return Optional.ofNullable(views.get(node));
    }

    /** Returns the end offset of the node change log. */
    public long changesEnd() {
        refresh();
        return nodeChanges.end();
    }

    /**
     * Visits the nodes that changed since an offset. A node can be visited more than once.
     *
     * @return false if the log no longer contains the offset; nothing is visited then
     */
    public boolean visitChanges(long from, Consumer<NodeDeviceView> visitor) {
        refresh();
        if (!nodeChanges.covers(from)) {
            return false;
        }
        for (long place = from; place < nodeChanges.end(); place++) {
            visitor.accept(byOrdinal.get(nodeChanges.at(place)));
        }
        return true;
    }

    /** Returns the end offset of the slice change log. */
    public long sliceChangesEnd() {
        return sliceChanges.end();
    }

    /** Returns the slices that changed since an offset; absent if the log no longer contains the offset. */
    public Optional<SortedSet<SliceId>> changedSlices(long from) {
        return sliceChanges.since(from);
    }

    /** Returns a slice; absent if it is not published. */
    public Optional<ResourceSlice> slice(SliceId id) {
        return Optional.ofNullable(pools.get(id.pool())).flatMap(slices -> Optional.ofNullable(slices.get(id.name())));
    }

    /** Returns the IDs of all published slices. */
    public SortedSet<SliceId> sliceIds() {
        var ids = new TreeSet<SliceId>();
        pools.forEach((pool, slices) -> slices.keySet().forEach(name -> ids.add(new SliceId(pool, name))));
        return ids;
    }

    /** Returns the resources that pods reserve, by node; nodes without reservations are absent. */
    public Map<String, ResourceList> reservedNodeResources() {
        return Collections.unmodifiableMap(reservedNodeResources);
    }

    /** Returns the number of devices in all slices. */
    public long devices() {
        return devices;
    }

    /** Returns the usage of a device; absent if the device was never in a node view and never in use. */
    public Optional<DeviceUsage> usage(DeviceId device) {
        return usages.find(device);
    }

    /** Returns the devices of a pool that are in use, published or not. */
    public SortedSet<DeviceId> usedDevices(PoolId pool) {
        return usages.usedDevices(pool);
    }

    /** Returns the pools with a device in use, published or not. */
    public Set<PoolId> poolsInUse() {
        return usages.poolsInUse();
    }

    /** Returns whether the pool has a slice. */
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

    /** Returns the used devices of a pool that consume more counters or capacity than its newest generation provides. */
    public SortedSet<DeviceId> overcommitted(PoolId pool) {
        List<ResourceSlice> newest = newestGeneration(pool);
        boolean isShared =
                newest.stream().anyMatch(slice -> !slice.sharedCounters().isEmpty())
                        || usedDevices(pool).stream().anyMatch(this::isShared);
        return isShared ? new OvercommitCheck(newest, this::usage).devices() : Collections.emptySortedSet();
    }

    private boolean isShared(DeviceId device) {
        return usage(device).filter(each -> !each.isDedicated()).isPresent();
    }

    /** Returns the slices of the newest generation; empty if the generation is incomplete. */
    private List<ResourceSlice> newestGeneration(PoolId pool) {
        var all = pools.getOrDefault(pool, new TreeMap<>()).values();
        long generation =
                all.stream().mapToLong(ResourceSlice::generation).max().orElse(-1);
        List<ResourceSlice> newest =
                all.stream().filter(slice -> slice.generation() == generation).toList();
        return newest.isEmpty() || newest.size() != newest.getFirst().resourceSliceCount() ? List.of() : newest;
    }

    /** Returns a device as published in the newest generation that contains it. */
    public Optional<Device> published(DeviceId id) {
        return pools.getOrDefault(id.poolId(), new TreeMap<>()).values().stream()
                .sorted(Comparator.comparingLong(ResourceSlice::generation).reversed())
                .flatMap(slice -> slice.devices().stream())
                .filter(device -> device.name().equals(id.device()))
                .findFirst();
    }

    /** Returns the slices with node selection {@code nodeName} for this node. */
    public List<ResourceSlice> slicesOn(String node) {
        return localPools.getOrDefault(node, new TreeSet<>()).stream()
                .flatMap(pool -> pools.getOrDefault(pool, new TreeMap<>()).values().stream())
                .filter(slice -> slice.scope() instanceof NodeScope.SingleNode on
                        && on.node().equals(node))
                .toList();
    }

    /** Returns whether every slice of a pool has node selection {@code nodeName} for this node. */
    public boolean isOnlyOn(PoolId pool, String node) {
        return pools.getOrDefault(pool, new TreeMap<>()).values().stream()
                .allMatch(slice -> slice.scope() instanceof NodeScope.SingleNode on
                        && on.node().equals(node));
    }

    /** Returns the usage of all devices that were in a node view or in use, in insertion order. */
    public Iterable<DeviceUsage> usages() {
        return usages.all();
    }

    /** Returns all slices, by pool and name. */
    public SortedMap<PoolId, SortedMap<String, ResourceSlice>> pools() {
        return Collections.unmodifiableSortedMap(pools);
    }

    /** Returns all nodes by name, usable or not. */
    public SortedMap<String, Node> nodes() {
        return Collections.unmodifiableSortedMap(nodes);
    }

    /** Returns the feature gates. */
    public FeatureGates features() {
        return features;
    }

    /** Returns whether a node is silent. */
    public boolean isSilent(String node) {
        return silent.contains(node);
    }

    /** Returns a device with its own taints and those of matching taint rules. */
    public Device applyTaintRules(ResourceSlice slice, Device device) {
        if (taintRules.isEmpty() || !features.has(Feature.DEVICE_TAINT_RULES)) {
            return device;
        }
        var id = new DeviceId(slice.driver(), slice.pool(), device.name());
        List<Taint> taints = new ArrayList<>(device.taints());
        taintRules.values().stream().filter(rule -> rule.selects(id)).forEach(rule -> taints.add(rule.taint()));
        return taints.size() == device.taints().size() ? device : device.withTaints(taints);
    }

    private void refresh() {
        if (allInvalidated) {
            invalidated.addAll(nodes.keySet());
            allInvalidated = false;
        }
        for (String name : invalidated) {
            NodeDeviceView view = views.computeIfAbsent(name, key -> {
                var added = new NodeDeviceView(key, byOrdinal.size());
                added.setReserved(reservedNodeResources.getOrDefault(key, ResourceList.none()));
                byOrdinal.add(added);
                return added;
            });
            view.update(contentOf(name));
            recordNodeChange(view.ordinal());
        }
        invalidated.clear();
    }

    private NodeDeviceView.Content contentOf(String name) {
        Node node = nodes.get(name);
        if (node == null || !node.ready() || silent.contains(name)) {
            return NodeDeviceView.Content.NONE;
        }
        var reach = new NodeReach(node);
        List<VisiblePool> visible = visiblePools(name, reach);
        List<DeviceCandidate> candidates = new ArrayList<>();
        visible.stream()
                .filter(pool -> !pool.hasBindingConditions())
                .forEach(pool -> addCandidates(pool, reach, candidates));
        visible.stream()
                .filter(VisiblePool::hasBindingConditions)
                .forEach(pool -> addCandidates(pool, reach, candidates));
        return new NodeDeviceView.Content(
                Optional.of(node),
                List.copyOf(candidates),
                inState(visible, VisiblePool.PoolState.INCOMPLETE),
                inState(visible, VisiblePool.PoolState.INVALID),
                candidates.stream().anyMatch(DeviceCandidate::isShared));
    }

    private List<VisiblePool> visiblePools(String name, NodeReach reach) {
        SortedSet<PoolId> ids = new TreeSet<>(sharedPools);
        ids.addAll(localPools.getOrDefault(name, new TreeSet<>()));
        return ids.stream()
                .flatMap(id ->
                        VisiblePool.of(
                                id, pools.getOrDefault(id, new TreeMap<>()).values(), reach, features)
                                .stream())
                .toList();
    }

    private static List<PoolId> inState(List<VisiblePool> pools, VisiblePool.PoolState state) {
        return pools.stream()
                .filter(pool -> pool.state() == state)
                .map(VisiblePool::id)
                .toList();
    }

    private void addCandidates(VisiblePool pool, NodeReach reach, List<DeviceCandidate> candidates) {
        boolean shared = sharedPools.contains(pool.id());
        Optional<SharedCounters> counters =
                pool.counterSlices().isEmpty() ? Optional.empty() : Optional.of(counters(pool));
        for (ResourceSlice slice : pool.slices()) {
            boolean perDevice = slice.scope() instanceof NodeScope.PerDevice;
            for (Device device : slice.devices()) {
                var id = new DeviceId(slice.driver(), slice.pool(), device.name());
                candidates.add(new DeviceCandidate(
                        usages.getOrCreate(id),
                        applyTaintRules(slice, device),
                        slice,
                        !perDevice || reach.reaches(device),
                        shared,
                        reach.node().declaredFeatures().contains(Feature.OPTIONAL_NODE_OPERATIONS.gate()),
                        counters.filter(each -> !device.consumesCounters().isEmpty())
                                .map(each -> new DeviceCandidate.CounterUse(each, each.consumer(device.name())))));
            }
        }
    }

    private SharedCounters counters(VisiblePool pool) {
        List<PoolCounters> known = poolCounters.computeIfAbsent(pool.id(), id -> new ArrayList<>());
        for (PoolCounters each : known) {
            if (each.slices.equals(pool.counterSlices())) {
                return each.counters;
            }
        }
        var counters = new SharedCounters(pool.counterSlices(), usages::getOrCreate);
        known.add(new PoolCounters(pool.counterSlices(), counters));
        return counters;
    }
}

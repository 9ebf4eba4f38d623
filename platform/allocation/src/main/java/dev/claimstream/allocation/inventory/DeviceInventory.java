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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The devices, nodes and device usage of one cell, derived from the cell's rows.
 *
 * <p>Every update goes through the inventory, because it invalidates the node views that depend on the updated object. Reads of slices and
 * of device usage go to {@link #slices} and {@link #usages}. Change logs let indexes read only the changed nodes and slices. Not
 * thread-safe.
 */
public final class DeviceInventory {
    private final SliceIndex slices = new SliceIndex();
    private final SortedMap<String, Node> nodes = new TreeMap<>();
    private final SortedSet<String> silent = new TreeSet<>();
    private final TaintRules taintRules = new TaintRules();
    private final DeviceUsageIndex usages = new DeviceUsageIndex();
    private final PoolCounters counters = new PoolCounters(usages);
    private final ReservedNodeResources reserved = new ReservedNodeResources();
    private final NodeViews views = new NodeViews(reserved);
    private FeatureGates features = FeatureGates.defaults();
    private long version;

    // ---- updates

    /** Adds or replaces a slice. */
    public void put(ResourceSlice slice) {
        invalidateNodesOf(slice.poolId());
        slices.put(slice);
        invalidateNodesOf(slice.poolId());
    }

    public void remove(ResourceSlice slice) {
        invalidateNodesOf(slice.poolId());
        slices.remove(slice);
        invalidateNodesOf(slice.poolId());
    }

    /** Invalidates what depends on a pool. A change of slices affects the nodes of the pool before and after the change. */
    private void invalidateNodesOf(PoolId pool) {
        counters.remove(pool);
        slices.visitNodes(pool, views::invalidate);
        if (slices.isShared(pool)) {
            views.invalidateAll();
        }
        version++;
    }

    /** Adds or replaces a node. */
    public void put(Node node) {
        nodes.put(node.meta().name(), node);
        invalidate(node.meta().name());
    }

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
        taintRules.put(rule);
        invalidateAll();
    }

    public void removeTaintRule(String name) {
        if (taintRules.remove(name)) {
            invalidateAll();
        }
    }

    /** Replaces the feature gates. A change invalidates all node views and counters. */
    public void setFeatures(FeatureGates changed) {
        if (!features.equals(changed)) {
            features = changed;
            counters.clear();
            invalidateAll();
        }
    }

    private void invalidate(String node) {
        views.invalidate(node);
        version++;
    }

    private void invalidateAll() {
        views.invalidateAll();
        version++;
    }

    /** Records that a claim uses a device. The device need not be published. */
    public void addUsage(DeviceResult result, String claimUid, ObjectKey claim) {
        usages.add(result, claimUid, claim);
        recordUsageChange(result.device().poolId());
    }

    /** Removes the use of a device by a claim, with all shares. */
    public void removeUsage(DeviceId device, String claimUid) {
        if (usages.remove(device, claimUid)) {
            recordUsageChange(device.poolId());
        }
    }

    private void recordUsageChange(PoolId pool) {
        counters.invalidateAmounts(pool);
        if (slices.isShared(pool)) {
            views.recordSharedUsageChange();
        } else {
            slices.visitNodes(pool, views::recordUsageChange);
        }
    }

    /** Adds the requests of a pod to the reserved resources of a node. The node need not exist. */
    public void reserveNodeResources(String node, ResourceList requests) {
        reserved.add(node, requests);
        views.updateReserved(node);
    }

    /** Subtracts the requests of a pod from the reserved resources of a node. */
    public void releaseNodeResources(String node, ResourceList requests) {
        reserved.subtract(node, requests);
        views.updateReserved(node);
    }

    // ---- reads

    /** Returns a number that changes with every update except those of device usage and reserved resources. */
    public long version() {
        return version;
    }

    /** Returns the published slices. */
    public SliceIndex slices() {
        return slices;
    }

    public DeviceUsageIndex usages() {
        return usages;
    }

    /** Returns the resources that pods reserve, by node; nodes without reservations are absent. */
    public Map<String, ResourceList> reservedNodeResources() {
        return reserved.all();
    }

    /** Returns all nodes by name, usable or not. */
    public SortedMap<String, Node> nodes() {
        return Collections.unmodifiableSortedMap(nodes);
    }

    public boolean isSilent(String node) {
        return silent.contains(node);
    }

    public FeatureGates features() {
        return features;
    }

    /** Returns a device with its own taints and those of matching taint rules. */
    public Device applyTaintRules(ResourceSlice slice, Device device) {
        return features.has(Feature.DEVICE_TAINT_RULES) ? taintRules.apply(slice, device) : device;
    }

    /** Returns the used devices of a pool that consume more counters or capacity than its newest generation provides. */
    public SortedSet<DeviceId> overcommitted(PoolId pool) {
        List<ResourceSlice> newest = slices.newestGeneration(pool);
        boolean isShared =
                newest.stream().anyMatch(slice -> !slice.sharedCounters().isEmpty())
                        || usages.usedDevices(pool).stream().anyMatch(this::isShared);
        return isShared ? new OvercommitCheck(newest, usages::find).devices() : Collections.emptySortedSet();
    }

    private boolean isShared(DeviceId device) {
        return usages.find(device).filter(each -> !each.isDedicated()).isPresent();
    }

    // ---- node views

    /** Returns the views of all nodes observed so far, by ordinal. Deleted nodes stay and are not usable. */
    public List<NodeDeviceView> views() {
        return refreshedViews().all();
    }

    public Optional<NodeDeviceView> view(String node) {
        return refreshedViews().find(node);
    }

    /** Returns the end offset of the node change log. */
    public long changesEnd() {
        return refreshedViews().changesEnd();
    }

    /**
     * Visits the nodes that changed since an offset. A node can be visited more than once.
     *
     * @return false if the log no longer contains the offset; nothing is visited then
     */
    public boolean visitChanges(long from, Consumer<NodeDeviceView> visitor) {
        return refreshedViews().visitChanges(from, visitor);
    }

    private NodeViews refreshedViews() {
        views.refresh(nodes.keySet(), this::contentOf);
        return views;
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

    private List<VisiblePool> visiblePools(String node, NodeReach reach) {
        return slices.poolsFor(node).stream()
                .flatMap(id -> VisiblePool.of(id, slices.slicesOf(id), reach, features).stream())
                .toList();
    }

    private static List<PoolId> inState(List<VisiblePool> pools, VisiblePool.PoolState state) {
        return pools.stream()
                .filter(pool -> pool.state() == state)
                .map(VisiblePool::id)
                .toList();
    }

    private void addCandidates(VisiblePool pool, NodeReach reach, List<DeviceCandidate> candidates) {
        boolean isShared = slices.isShared(pool.id());
        Optional<SharedCounters> ofPool =
                pool.counterSlices().isEmpty() ? Optional.empty() : Optional.of(counters.of(pool));
        for (ResourceSlice slice : pool.slices()) {
            boolean perDevice = slice.scope() instanceof NodeScope.PerDevice;
            for (Device device : slice.devices()) {
                var id = new DeviceId(slice.driver(), slice.pool(), device.name());
                candidates.add(new DeviceCandidate(
                        usages.getOrCreate(id),
                        applyTaintRules(slice, device),
                        slice,
                        !perDevice || reach.reaches(device),
                        isShared,
                        reach.node().declaredFeatures().contains(Feature.OPTIONAL_NODE_OPERATIONS.gate()),
                        ofPool.filter(each -> !device.consumesCounters().isEmpty())
                                .map(each -> new DeviceCandidate.CounterUse(each, each.consumer(device.name())))));
            }
        }
    }
}

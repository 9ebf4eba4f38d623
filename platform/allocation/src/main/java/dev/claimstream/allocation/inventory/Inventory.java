package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.Features;
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
public final class Inventory {
    private final SortedMap<PoolId, SortedMap<String, ResourceSlice>> pools = new TreeMap<>();
    private final SortedMap<String, SortedSet<PoolId>> localPools = new TreeMap<>();
    private final SortedSet<PoolId> sharedPools = new TreeSet<>();
    private final SortedMap<String, Node> nodes = new TreeMap<>();
    private final SortedSet<String> silent = new TreeSet<>();
    private final SortedMap<String, DeviceTaintRule> taintRules = new TreeMap<>();
    private final Holdings holdings = new Holdings();
    private Function<Holding.Holder, String> holderStates = _ -> "";
    private final Map<String, NodeView> views = new LinkedHashMap<>();
    private final Map<String, ResourceList> taken = new LinkedHashMap<>();
    private final List<NodeView> byOrdinal = new ArrayList<>();
    private final SortedSet<String> outdated = new TreeSet<>();
    private final Journal journal = new Journal();
    private final SliceJournal sliceChanges = new SliceJournal();
    private final Map<PoolId, List<Ledger>> ledgers = new LinkedHashMap<>();
    private Features features = Features.defaults();
    private long devices;
    private boolean allOutdated;
    private long version;

    /** The counters of a pool as declared and consumed by one set of visible slices. Nodes that see the same slices share them. */
    private record Ledger(List<ResourceSlice> slices, SharedCounters counters) {}

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
        outdate(node.meta().name());
    }

    /** Removes a node. */
    public void removeNode(String name) {
        nodes.remove(name);
        outdate(name);
    }

    /** Sets whether a node is silent: its agent sends no heartbeats. A silent node is not usable. */
    public void setSilent(String node, boolean isSilent) {
        if (isSilent ? silent.add(node) : silent.remove(node)) {
            outdate(node);
        }
    }

    /** Adds or replaces a taint rule. */
    public void put(DeviceTaintRule rule) {
        taintRules.put(rule.meta().name(), rule);
        outdateAll();
    }

    /** Removes a taint rule. */
    public void removeTaintRule(String name) {
        if (taintRules.remove(name) != null) {
            outdateAll();
        }
    }

    /** Replaces the feature gates. A change invalidates all node views and counters. */
    public void setFeatures(Features changed) {
        if (!features.equals(changed)) {
            features = changed;
            ledgers.clear();
            outdateAll();
        }
    }

    /** Sets the function that describes how an entry uses its device, in a few words. It returns "" for unknown entries. */
    public void describeHolders(Function<Holding.Holder, String> states) {
        holderStates = states;
    }

    /** Returns how an entry uses its device, in a few words; empty if unknown. */
    public String stateOf(Holding.Holder holder) {
        return holderStates.apply(holder);
    }

    /** Records that a claim uses a device. The device need not be published. */
    public void hold(DeviceResult result, String claimUid, ObjectKey claim) {
        holdings.add(result, claimUid, claim);
        noteHolders(result.device());
    }

    /** Removes the use of a device by a claim, with all shares. */
    public void release(DeviceId device, String claimUid) {
        if (holdings.remove(device, claimUid)) {
            noteHolders(device);
        }
    }

    /** Adds the requests of a pod to the reserved resources of a node. The node need not exist. */
    public void take(String node, ResourceList requests) {
        setTaken(node, taken.getOrDefault(node, ResourceList.none()).plus(requests));
    }

    /** Subtracts the requests of a pod from the reserved resources of a node. */
    public void giveBack(String node, ResourceList requests) {
        setTaken(node, taken.getOrDefault(node, ResourceList.none()).minus(requests));
    }

    private void setTaken(String node, ResourceList now) {
        if (now.isNone()) {
            taken.remove(node);
        } else {
            taken.put(node, now);
        }
        NodeView view = views.get(node);
        if (view != null) {
            view.setTaken(now);
            note(view.ordinal());
        }
    }

    private void changePool(PoolId id, Consumer<SortedMap<String, ResourceSlice>> change) {
        SortedMap<String, ResourceSlice> slices = pools.computeIfAbsent(id, key -> new TreeMap<>());
        unlink(id, slices);
        ledgers.remove(id);
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
            if (slice.scope() instanceof NodeScope.OnNode on) {
                localPools.getOrDefault(on.node(), new TreeSet<>()).remove(id);
                outdate(on.node());
            }
        });
        if (sharedPools.remove(id)) {
            outdateAll();
        }
    }

    private void link(PoolId id, NodeScope scope) {
        switch (scope) {
            case NodeScope.OnNode on -> {
                localPools.computeIfAbsent(on.node(), node -> new TreeSet<>()).add(id);
                outdate(on.node());
            }
            case NodeScope.AllNodes all -> share(id);
            case NodeScope.Matching matching -> share(id);
            case NodeScope.PerDevice perDevice -> share(id);
            case NodeScope.Unset unset -> {}
        }
    }

    private void share(PoolId id) {
        sharedPools.add(id);
        outdateAll();
    }

    private void outdate(String node) {
        outdated.add(node);
        version++;
    }

    private void outdateAll() {
        allOutdated = true;
        version++;
    }

    private void noteHolders(DeviceId device) {
        ledgers.getOrDefault(device.poolId(), List.of()).forEach(each -> each.counters.holdersChanged());
        SortedMap<String, ResourceSlice> slices = pools.get(device.poolId());
        if (slices == null) {
            return;
        }
        if (sharedPools.contains(device.poolId())) {
            byOrdinal.stream().filter(NodeView::seesShared).forEach(view -> note(view.ordinal()));
            return;
        }
        for (ResourceSlice slice : slices.values()) {
            NodeView view = slice.scope() instanceof NodeScope.OnNode on ? views.get(on.node()) : null;
            if (view != null) {
                note(view.ordinal());
                if (slices.size() == 1) {
                    return;
                }
            }
        }
    }

    private void note(int ordinal) {
        journal.add(ordinal, byOrdinal.size());
    }

    // ---- reads

    /** Returns a number that changes with every update except those of device usage and reserved resources. */
    public long version() {
        return version;
    }

    /** Returns the views of all nodes observed so far, by ordinal. Deleted nodes stay and are not usable. */
    public List<NodeView> views() {
        refresh();
        return Collections.unmodifiableList(byOrdinal);
    }

    /** Returns the view of a node. */
    public Optional<NodeView> view(String node) {
        refresh();
        return Optional.ofNullable(views.get(node));
    }

    /** Returns the end offset of the node change log. */
    public long changesEnd() {
        refresh();
        return journal.end();
    }

    /**
     * Visits the nodes that changed since an offset. A node can be visited more than once.
     *
     * @return false if the log no longer contains the offset; nothing is visited then
     */
    public boolean visitChanges(long from, Consumer<NodeView> visitor) {
        refresh();
        if (!journal.reachesBackTo(from)) {
            return false;
        }
        for (long place = from; place < journal.end(); place++) {
            visitor.accept(byOrdinal.get(journal.at(place)));
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
    public Map<String, ResourceList> taken() {
        return Collections.unmodifiableMap(taken);
    }

    /** Returns the number of devices in all slices. */
    public long devices() {
        return devices;
    }

    /** Returns the usage of a device; absent if the device was never in a node view and never in use. */
    public Optional<Holding> holding(DeviceId device) {
        return holdings.find(device);
    }

    /** Returns the devices of a pool that are in use, published or not. */
    public SortedSet<DeviceId> heldIn(PoolId pool) {
        return holdings.heldIn(pool);
    }

    /** Returns the pools with a device in use, published or not. */
    public Set<PoolId> heldPools() {
        return holdings.pools();
    }

    /** Returns whether the pool has a slice. */
    public boolean isKnown(PoolId pool) {
        return pools.containsKey(pool);
    }

    /** Returns the device names of a pool's newest generation; absent if the generation is incomplete. */
    public Optional<SortedSet<String>> published(PoolId pool) {
        List<ResourceSlice> newest = newest(pool);
        if (newest.isEmpty()) {
            return Optional.empty();
        }
        var names = new TreeSet<String>();
        newest.forEach(slice -> slice.devices().forEach(device -> names.add(device.name())));
        return Optional.of(names);
    }

    /** Returns the used devices of a pool that consume more counters or capacity than its newest generation provides. */
    public SortedSet<DeviceId> overdrawn(PoolId pool) {
        List<ResourceSlice> newest = newest(pool);
        boolean isShared =
                newest.stream().anyMatch(slice -> !slice.sharedCounters().isEmpty())
                        || heldIn(pool).stream().anyMatch(this::isShared);
        return isShared ? new Overdrafts(newest, this::holding).devices() : Collections.emptySortedSet();
    }

    private boolean isShared(DeviceId device) {
        return holding(device).filter(each -> !each.isDedicated()).isPresent();
    }

    /** Returns the slices of the newest generation; empty if the generation is incomplete. */
    private List<ResourceSlice> newest(PoolId pool) {
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
                .filter(slice -> slice.scope() instanceof NodeScope.OnNode on
                        && on.node().equals(node))
                .toList();
    }

    /** Returns whether every slice of a pool has node selection {@code nodeName} for this node. */
    public boolean isOnlyOn(PoolId pool, String node) {
        return pools.getOrDefault(pool, new TreeMap<>()).values().stream()
                .allMatch(slice -> slice.scope() instanceof NodeScope.OnNode on
                        && on.node().equals(node));
    }

    /** Returns the usage of all devices that were in a node view or in use, in insertion order. */
    public Iterable<Holding> holdings() {
        return holdings.all();
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
    public Features features() {
        return features;
    }

    /** Returns whether a node is silent. */
    public boolean isSilent(String node) {
        return silent.contains(node);
    }

    /** Returns a device with its own taints and those of matching taint rules. */
    public Device tainted(ResourceSlice slice, Device device) {
        if (taintRules.isEmpty() || !features.has(Feature.DEVICE_TAINT_RULES)) {
            return device;
        }
        var id = new DeviceId(slice.driver(), slice.pool(), device.name());
        List<Taint> taints = new ArrayList<>(device.taints());
        taintRules.values().stream().filter(rule -> rule.selects(id)).forEach(rule -> taints.add(rule.taint()));
        return taints.size() == device.taints().size() ? device : device.withTaints(taints);
    }

    private void refresh() {
        if (allOutdated) {
            outdated.addAll(nodes.keySet());
            allOutdated = false;
        }
        for (String name : outdated) {
            NodeView view = views.computeIfAbsent(name, key -> {
                var added = new NodeView(key, byOrdinal.size());
                added.setTaken(taken.getOrDefault(key, ResourceList.none()));
                byOrdinal.add(added);
                return added;
            });
            view.become(contentOf(name));
            note(view.ordinal());
        }
        outdated.clear();
    }

    private NodeView.Content contentOf(String name) {
        Node node = nodes.get(name);
        if (node == null || !node.ready() || silent.contains(name)) {
            return NodeView.Content.NONE;
        }
        var reach = new NodeReach(node);
        List<VisiblePool> visible = visiblePools(name, reach);
        List<Slot> slots = new ArrayList<>();
        visible.stream().filter(pool -> !pool.comesLast()).forEach(pool -> addSlots(pool, reach, slots));
        visible.stream().filter(VisiblePool::comesLast).forEach(pool -> addSlots(pool, reach, slots));
        return new NodeView.Content(
                Optional.of(node),
                List.copyOf(slots),
                inState(visible, VisiblePool.State.INCOMPLETE),
                inState(visible, VisiblePool.State.INVALID),
                slots.stream().anyMatch(Slot::shared));
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

    private static List<PoolId> inState(List<VisiblePool> pools, VisiblePool.State state) {
        return pools.stream()
                .filter(pool -> pool.state() == state)
                .map(VisiblePool::id)
                .toList();
    }

    private void addSlots(VisiblePool pool, NodeReach reach, List<Slot> slots) {
        boolean shared = sharedPools.contains(pool.id());
        Optional<SharedCounters> counters = pool.sharing().isEmpty() ? Optional.empty() : Optional.of(counters(pool));
        for (ResourceSlice slice : pool.slices()) {
            boolean perDevice = slice.scope() instanceof NodeScope.PerDevice;
            for (Device device : slice.devices()) {
                var id = new DeviceId(slice.driver(), slice.pool(), device.name());
                slots.add(new Slot(
                        holdings.of(id),
                        tainted(slice, device),
                        slice,
                        !perDevice || reach.reaches(device),
                        shared,
                        reach.node().declaredFeatures().contains(Feature.OPTIONAL_NODE_OPERATIONS.gate()),
                        counters.filter(each -> !device.consumesCounters().isEmpty())
                                .map(each -> new Slot.CounterUse(each, each.user(device.name())))));
            }
        }
    }

    private SharedCounters counters(VisiblePool pool) {
        List<Ledger> known = ledgers.computeIfAbsent(pool.id(), id -> new ArrayList<>());
        for (Ledger each : known) {
            if (each.slices.equals(pool.sharing())) {
                return each.counters;
            }
        }
        var counters = new SharedCounters(pool.sharing(), holdings::of);
        known.add(new Ledger(pool.sharing(), counters));
        return counters;
    }
}

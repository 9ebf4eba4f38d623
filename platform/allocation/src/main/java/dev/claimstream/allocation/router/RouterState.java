package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.CellIdentity;
import dev.claimstream.allocation.cell.Fact;
import dev.claimstream.allocation.cell.ItemCounts;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.ObjectIndex;
import dev.claimstream.allocation.cell.Rank;
import dev.claimstream.allocation.cell.UnallocatedClaimCounter;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceClaim;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The rows of the router and the indexes derived from them. Only {@link #apply} changes them. Not thread-safe. */
public final class RouterState {
    private final int cells;
    private final ObjectIndex clusterState = new ObjectIndex();
    private final SortedMap<String, RouterRow> rows = new TreeMap<>();
    private final SortedMap<Rank, ItemId> pending = new TreeMap<>();
    private final Map<Reason.RetryTrigger, SortedMap<Rank, ItemId>> pendingFor =
            new EnumMap<>(Reason.RetryTrigger.class);
    private final SortedSet<ItemId> assignedItems = new TreeSet<>();
    private final ItemCounts bound = new ItemCounts();
    private final Map<ObjectKey, SortedSet<ItemId>> itemsInCells = new LinkedHashMap<>();
    private final Map<String, SortedSet<ItemId>> itemsWithDeletedClaim = new LinkedHashMap<>();
    private final SortedSet<PoolId> shared = new TreeSet<>();
    private final SortedSet<String> misplaced = new TreeSet<>();
    private final SortedMap<Long, RouterRow.DeferredObservationRow> deferred = new TreeMap<>();
    private final int[] nodes;
    private final int[] moving;

    /** Creates an empty state. */
    public RouterState(int cells) {
        this.cells = cells;
        this.nodes = new int[cells];
        this.moving = new int[cells];
    }

    public void apply(RouterFact fact) {
        Optional<RouterRow> before = Optional.ofNullable(rows.get(fact.key()));
        switch (fact) {
            case RouterFact.RouterRowPut put -> {
                rows.put(put.key(), put.row());
                before.ifPresent(this::unindex);
                index(put.row());
            }
            case RouterFact.RouterRowDrop drop -> {
                rows.remove(drop.key());
                before.ifPresent(row -> {
                    unindex(row);
                    if (row instanceof RouterRow.ClusterStateRow known) {
                        clusterState.apply(new Fact.Drop(known.row().key()));
                    }
                });
            }
        }
    }

    private void unindex(RouterRow row) {
        switch (row) {
            case RouterRow.ItemLocationRow item -> {
                pending.remove(item.rank());
                item.reason().ifPresent(reason -> queue(reason.retryTrigger()).remove(item.rank()));
                assignedItems.remove(item.item());
                item.claims().forEach(claim -> unlink(itemsInCells, claim, item.item()));
                item.ended().forEach(uid -> unlink(itemsWithDeletedClaim, uid, item.item()));
            }
            case RouterRow.NodeRow node -> {
                nodes[node.cell()]--;
                moving[node.cell()] -= node.isMoving() ? 1 : 0;
                misplaced.remove(node.node());
            }
            case RouterRow.PoolRow pool -> shared.remove(pool.pool());
            case RouterRow.ClusterStateRow known -> {}
            case RouterRow.BoundClaimRow boundRow -> bound.remove(boundRow.item());
            case RouterRow.ClaimFanoutRow fanoutRow -> {}
            case RouterRow.FreeDevicesRow free -> {}
            case RouterRow.SliceRow slice -> {}
            case RouterRow.DeferredObservationRow observation -> deferred.remove(observation.number());
            case RouterRow.RouterProbeRow probe -> {}
            case RouterRow.RouterCountRow count -> {}
        }
    }

    private void index(RouterRow row) {
        switch (row) {
            case RouterRow.ItemLocationRow item -> index(item);
            case RouterRow.NodeRow node -> {
                nodes[node.cell()]++;
                moving[node.cell()] += node.isMoving() ? 1 : 0;
                if (node.target() != node.cell() && !node.isMoving()) {
                    misplaced.add(node.node());
                }
            }
            case RouterRow.PoolRow pool -> {
                if (!pool.scopes().isEmpty()) {
                    shared.add(pool.pool());
                }
            }
            case RouterRow.ClusterStateRow known -> clusterState.apply(new Fact.Put(known.row()));
            case RouterRow.BoundClaimRow boundRow -> bound.add(boundRow.item());
            case RouterRow.ClaimFanoutRow fanoutRow -> {}
            case RouterRow.FreeDevicesRow free -> {}
            case RouterRow.SliceRow slice -> {}
            case RouterRow.DeferredObservationRow observation -> deferred.put(observation.number(), observation);
            case RouterRow.RouterProbeRow probe -> {}
            case RouterRow.RouterCountRow count -> {}
        }
    }

    private void index(RouterRow.ItemLocationRow item) {
        item.ended().forEach(uid -> link(itemsWithDeletedClaim, uid, item.item()));
        switch (item.location()) {
            case RouterRow.ItemLocation.AtRouter here -> {
                pending.put(item.rank(), item.item());
                item.reason().ifPresent(reason -> queue(reason.retryTrigger()).put(item.rank(), item.item()));
            }
            case RouterRow.ItemLocation.AssignedToCell out -> {
                assignedItems.add(item.item());
                link(item);
            }
            case RouterRow.ItemLocation.AllocatedInCell allocated -> link(item);
        }
    }

    private void link(RouterRow.ItemLocationRow item) {
        item.claims().forEach(claim -> link(itemsInCells, claim, item.item()));
    }

    private static <K> void link(Map<K, SortedSet<ItemId>> by, K key, ItemId item) {
        by.computeIfAbsent(key, _ -> new TreeSet<>()).add(item);
    }

    private static <K> void unlink(Map<K, SortedSet<ItemId>> by, K key, ItemId item) {
        SortedSet<ItemId> items = by.get(key);
        if (items != null && items.remove(item) && items.isEmpty()) {
            by.remove(key);
        }
    }

    // ---- reads

    /** Returns the number of cells. */
    public int cells() {
        return cells;
    }

    /** Returns the indexes of all cells. */
    SortedSet<Integer> allCells() {
        var all = new TreeSet<Integer>();
        for (int cell = 0; cell < cells; cell++) {
            all.add(cell);
        }
        return all;
    }

    CellIdentity identity() {
        return CellIdentity.ofRouter(cells);
    }

    /** Returns the index of claims, pods, nodes, slices and sources. */
    ObjectIndex clusterState() {
        return clusterState;
    }

    public boolean exists(ObjectKey claim, String uid) {
        return clusterState
                .claim(claim)
                .filter(known -> known.meta().uid().equals(uid))
                .isPresent();
    }

    /** Returns all rows, by key. */
    public SortedMap<String, RouterRow> rows() {
        return Collections.unmodifiableSortedMap(rows);
    }

    /** Returns the rows of a range, by key. The collection changes with the state. */
    @SuppressWarnings("unchecked") // only rows of the type of the range have its prefix
    <R extends RouterRow> Collection<R> rows(RouterRowRange<R> range) {
        return (Collection<R>) rows.subMap(range.prefix(), range.prefix() + Character.MAX_VALUE)
                .values();
    }

    private <T extends RouterRow> Optional<T> row(String key, Class<T> type) {
        return Optional.ofNullable(rows.get(key)).map(type::cast);
    }

    public Optional<RouterRow.ItemLocationRow> item(ItemId item) {
        return row(RouterRow.ItemLocationRow.key(item), RouterRow.ItemLocationRow.class);
    }

    Optional<RouterRow.BoundClaimRow> bound(String claimUid) {
        return row(RouterRow.BoundClaimRow.key(claimUid), RouterRow.BoundClaimRow.class);
    }

    /** Returns the cells that receive updates of a claim; absent if never stored. */
    public Optional<RouterRow.ClaimFanoutRow> fanout(ObjectKey claim) {
        return row(RouterRow.ClaimFanoutRow.key(claim), RouterRow.ClaimFanoutRow.class);
    }

    /** Returns whether a cell has an unreleased allocation for claims of an item. The claims may be deleted. */
    boolean hasAllocationFor(ItemId item) {
        return bound.has(item);
    }

    /** Returns the estimated number of free devices in a cell; {@link Long#MAX_VALUE} if unknown. */
    long freeDevices(int cell) {
        return row(RouterRow.FreeDevicesRow.key(cell), RouterRow.FreeDevicesRow.class)
                .map(RouterRow.FreeDevicesRow::devices)
                .orElse(Long.MAX_VALUE);
    }

    /** Returns the cell of a node. */
    public Optional<RouterRow.NodeRow> node(String name) {
        return row(RouterRow.NodeRow.key(name), RouterRow.NodeRow.class);
    }

    Optional<RouterRow.PoolRow> pool(PoolId pool) {
        return row(RouterRow.PoolRow.key(pool), RouterRow.PoolRow.class);
    }

    Optional<RouterRow.SliceRow> slice(String name) {
        return row(RouterRow.SliceRow.key(name), RouterRow.SliceRow.class);
    }

    Optional<RouterRow.RouterProbeRow> probe(String id) {
        return row(RouterRow.RouterProbeRow.key(id), RouterRow.RouterProbeRow.class);
    }

    /** Returns the probes in progress. */
    List<RouterRow.RouterProbeRow> probes() {
        return List.copyOf(rows(RouterRow.RouterProbeRow.ALL));
    }

    RouterRow.RouterCountRow count() {
        return row(RouterRow.RouterCountRow.KEY, RouterRow.RouterCountRow.class)
                .orElse(new RouterRow.RouterCountRow(0, 0, -1));
    }

    /** Returns the items at the router, in queue order. */
    public SortedMap<Rank, ItemId> pending() {
        return Collections.unmodifiableSortedMap(pending);
    }

    /** Returns the items at the router whose reason has this retry trigger, in queue order. */
    List<ItemId> pendingFor(Reason.RetryTrigger retryTrigger) {
        return List.copyOf(queue(retryTrigger).values());
    }

    private SortedMap<Rank, ItemId> queue(Reason.RetryTrigger retryTrigger) {
        return pendingFor.computeIfAbsent(retryTrigger, _ -> new TreeMap<>());
    }

    /** Returns whether an item can be dispatched. Its pod or claim must exist. */
    ObjectIndex.ItemReadiness readiness(ItemId item) {
        return clusterState.readiness(item, this::isBound);
    }

    /** Returns a counter of claims without an allocation by any cell. The state must not change while it is in use. */
    public UnallocatedClaimCounter unallocated() {
        return clusterState.unallocated(this::isBound);
    }

    private boolean isBound(ResourceClaim claim) {
        return bound(claim.meta().uid()).isPresent();
    }

    /** Returns the items that are assigned to a cell and undecided. */
    public SortedSet<ItemId> assignedItems() {
        return Collections.unmodifiableSortedSet(assignedItems);
    }

    /** Returns whether an item is assigned to a cell whose search for it continues in slices. */
    boolean isUnfinished(ItemId item) {
        return item(item)
                .filter(row ->
                        row.location() instanceof RouterRow.ItemLocation.AssignedToCell sent && sent.isUnfinished())
                .isPresent();
    }

    /** Returns the items in cells that use a claim. */
    SortedSet<ItemId> itemsInCells(ObjectKey claim) {
        return itemsInCells.getOrDefault(claim, new TreeSet<>());
    }

    /** Returns the items in cells for which decisions on a deleted claim may follow. */
    SortedSet<ItemId> itemsWithDeletedClaim(String claimUid) {
        return itemsWithDeletedClaim.getOrDefault(claimUid, new TreeSet<>());
    }

    /** Returns the pools that several nodes can access. */
    SortedSet<PoolId> shared() {
        return Collections.unmodifiableSortedSet(shared);
    }

    /** Returns the nodes that should move to another cell and have no transfer in progress. */
    SortedSet<String> misplaced() {
        return Collections.unmodifiableSortedSet(misplaced);
    }

    /** Returns the deferred observations, in order of arrival. */
    SortedMap<Long, RouterRow.DeferredObservationRow> deferred() {
        return Collections.unmodifiableSortedMap(deferred);
    }

    /** Returns whether a node of the cell is in transfer to another cell. */
    boolean hasMovingNodes(int cell) {
        return moving[cell] > 0;
    }

    int cellWithFewestNodes() {
        int best = 0;
        for (int cell = 1; cell < cells; cell++) {
            best = nodes[cell] < nodes[best] ? cell : best;
        }
        return best;
    }
}

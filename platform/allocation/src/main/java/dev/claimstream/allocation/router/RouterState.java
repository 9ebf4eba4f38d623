package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.Fact;
import dev.claimstream.allocation.cell.ItemCounts;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Knowledge;
import dev.claimstream.allocation.cell.Place;
import dev.claimstream.allocation.cell.Rank;
import dev.claimstream.allocation.cell.Unserved;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.Selectors;
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
    private final Knowledge world;
    private final SortedMap<String, RouterRow> rows = new TreeMap<>();
    private final SortedMap<Rank, ItemId> waiting = new TreeMap<>();
    private final Map<Reason.Wake, SortedMap<Rank, ItemId>> waitingFor = new EnumMap<>(Reason.Wake.class);
    private final SortedSet<ItemId> sent = new TreeSet<>();
    private final ItemCounts bound = new ItemCounts();
    private final Map<ObjectKey, SortedSet<ItemId>> away = new LinkedHashMap<>();
    private final Map<String, SortedSet<ItemId>> ending = new LinkedHashMap<>();
    private final SortedSet<PoolId> shared = new TreeSet<>();
    private final SortedSet<String> misplaced = new TreeSet<>();
    private final SortedMap<Long, RouterRow.HeldBackRow> heldBack = new TreeMap<>();
    private final int[] nodes;
    private final int[] moving;

    /**
     * Creates an empty state.
     *
     * @param selectors never called, because the router does not evaluate items
     */
    public RouterState(int cells, Selectors selectors) {
        this.cells = cells;
        this.world = new Knowledge(selectors);
        this.nodes = new int[cells];
        this.moving = new int[cells];
    }

    /** Applies a fact. */
    public void apply(RouterFact fact) {
        Optional<RouterRow> before = Optional.ofNullable(rows.get(fact.key()));
        switch (fact) {
            case RouterFact.Put put -> {
                rows.put(put.key(), put.row());
                before.ifPresent(this::forget);
                learn(put.row());
            }
            case RouterFact.Drop drop -> {
                rows.remove(drop.key());
                before.ifPresent(row -> {
                    forget(row);
                    if (row instanceof RouterRow.WorldRow known) {
                        world.apply(new Fact.Drop(known.row().key()));
                    }
                });
            }
        }
    }

    private void forget(RouterRow row) {
        switch (row) {
            case RouterRow.ItemRow item -> {
                waiting.remove(item.rank());
                item.reason().ifPresent(reason -> queue(reason.wake()).remove(item.rank()));
                sent.remove(item.item());
                item.claims().forEach(claim -> unlink(away, claim, item.item()));
                item.ended().forEach(uid -> unlink(ending, uid, item.item()));
            }
            case RouterRow.NodeRow node -> {
                nodes[node.cell()]--;
                moving[node.cell()] -= node.isMoving() ? 1 : 0;
                misplaced.remove(node.node());
            }
            case RouterRow.PoolRow pool -> shared.remove(pool.pool());
            case RouterRow.WorldRow known -> {}
            case RouterRow.BoundRow given -> bound.remove(given.item());
            case RouterRow.ToldRow told -> {}
            case RouterRow.FreeRow free -> {}
            case RouterRow.SliceRow slice -> {}
            case RouterRow.HeldBackRow word -> heldBack.remove(word.number());
            case RouterRow.ProbeRow probe -> {}
            case RouterRow.CountRow count -> {}
        }
    }

    private void learn(RouterRow row) {
        switch (row) {
            case RouterRow.ItemRow item -> learn(item);
            case RouterRow.NodeRow node -> {
                nodes[node.cell()]++;
                moving[node.cell()] += node.isMoving() ? 1 : 0;
                if (node.wanted() != node.cell() && !node.isMoving()) {
                    misplaced.add(node.node());
                }
            }
            case RouterRow.PoolRow pool -> {
                if (!pool.scopes().isEmpty()) {
                    shared.add(pool.pool());
                }
            }
            case RouterRow.WorldRow known -> world.apply(new Fact.Put(known.row()));
            case RouterRow.BoundRow given -> bound.add(given.item());
            case RouterRow.ToldRow told -> {}
            case RouterRow.FreeRow free -> {}
            case RouterRow.SliceRow slice -> {}
            case RouterRow.HeldBackRow word -> heldBack.put(word.number(), word);
            case RouterRow.ProbeRow probe -> {}
            case RouterRow.CountRow count -> {}
        }
    }

    private void learn(RouterRow.ItemRow item) {
        item.ended().forEach(uid -> link(ending, uid, item.item()));
        switch (item.at()) {
            case RouterRow.At.Router here -> {
                waiting.put(item.rank(), item.item());
                item.reason().ifPresent(reason -> queue(reason.wake()).put(item.rank(), item.item()));
            }
            case RouterRow.At.Sent out -> {
                sent.add(item.item());
                link(item);
            }
            case RouterRow.At.Served served -> link(item);
        }
    }

    private void link(RouterRow.ItemRow item) {
        item.claims().forEach(claim -> link(away, claim, item.item()));
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
    SortedSet<Integer> all() {
        var all = new TreeSet<Integer>();
        for (int cell = 0; cell < cells; cell++) {
            all.add(cell);
        }
        return all;
    }

    Place place() {
        return Place.ofRouter(cells);
    }

    /** Returns the index of claims, pods, nodes, slices and sources. */
    Knowledge world() {
        return world;
    }

    /** Returns whether the claim exists with this UID. */
    public boolean stands(ObjectKey claim, String uid) {
        return world.claim(claim)
                .filter(known -> known.meta().uid().equals(uid))
                .isPresent();
    }

    /** Returns all rows, by key. */
    public SortedMap<String, RouterRow> rows() {
        return Collections.unmodifiableSortedMap(rows);
    }

    SortedMap<String, RouterRow> rowsFrom(String prefix) {
        return rows.subMap(prefix, prefix + Character.MAX_VALUE);
    }

    private <T extends RouterRow> Optional<T> row(String key, Class<T> type) {
        return Optional.ofNullable(rows.get(key)).map(type::cast);
    }

    /** Returns the row of an item. */
    public Optional<RouterRow.ItemRow> item(ItemId item) {
        return row(RouterRow.ItemRow.key(item), RouterRow.ItemRow.class);
    }

    Optional<RouterRow.BoundRow> bound(String claimUid) {
        return row(RouterRow.BoundRow.key(claimUid), RouterRow.BoundRow.class);
    }

    /** Returns the cells that receive updates of a claim; absent if never stored. */
    public Optional<RouterRow.ToldRow> told(ObjectKey claim) {
        return row(RouterRow.ToldRow.key(claim), RouterRow.ToldRow.class);
    }

    /** Returns whether a cell has an unreleased allocation for claims of an item. The claims may be deleted. */
    boolean isHeldFor(ItemId item) {
        return bound.has(item);
    }

    /** Returns the estimated number of free devices in a cell; {@link Long#MAX_VALUE} if unknown. */
    long free(int cell) {
        return row(RouterRow.FreeRow.key(cell), RouterRow.FreeRow.class)
                .map(RouterRow.FreeRow::devices)
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

    Optional<RouterRow.ProbeRow> probe(String id) {
        return row(RouterRow.ProbeRow.key(id), RouterRow.ProbeRow.class);
    }

    RouterRow.CountRow count() {
        return row(RouterRow.CountRow.KEY, RouterRow.CountRow.class).orElse(new RouterRow.CountRow(0, 0, -1));
    }

    /** Returns the items at the router, in queue order. */
    public SortedMap<Rank, ItemId> waiting() {
        return Collections.unmodifiableSortedMap(waiting);
    }

    /** Returns the items at the router whose reason has this retry trigger, in queue order. */
    List<ItemId> waitingFor(Reason.Wake wake) {
        return List.copyOf(queue(wake).values());
    }

    private SortedMap<Rank, ItemId> queue(Reason.Wake wake) {
        return waitingFor.computeIfAbsent(wake, _ -> new TreeMap<>());
    }

    /** Returns whether an item can be dispatched. Its pod or claim must exist. */
    Knowledge.Look look(ItemId item) {
        return world.look(item, this::isBound);
    }

    /** Returns a counter of claims without an allocation by any cell. The state must not change while it is in use. */
    public Unserved unserved() {
        return world.unserved(this::isBound);
    }

    private boolean isBound(ResourceClaim claim) {
        return bound(claim.meta().uid()).isPresent();
    }

    /** Returns the items that are assigned to a cell and undecided. */
    public SortedSet<ItemId> sent() {
        return Collections.unmodifiableSortedSet(sent);
    }

    /** Returns the items in cells that use a claim. */
    SortedSet<ItemId> away(ObjectKey claim) {
        return away.getOrDefault(claim, new TreeSet<>());
    }

    /** Returns the items in cells for which decisions on a deleted claim may follow. */
    SortedSet<ItemId> ending(String claimUid) {
        return ending.getOrDefault(claimUid, new TreeSet<>());
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
    SortedMap<Long, RouterRow.HeldBackRow> heldBack() {
        return Collections.unmodifiableSortedMap(heldBack);
    }

    /** Returns whether a node of the cell is in transfer to another cell. */
    boolean isAnyMovingFrom(int cell) {
        return moving[cell] > 0;
    }

    /** Returns the cell with the fewest nodes. */
    int emptiest() {
        int best = 0;
        for (int cell = 1; cell < cells; cell++) {
            best = nodes[cell] < nodes[best] ? cell : best;
        }
        return best;
    }
}

package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.CellReport;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Assigns nodes and pools to cells.
 *
 * <p>A node stays in its first cell. It moves only by a transfer, if its cell label or a shared pool that it can access requires another
 * cell. The current cell accepts a transfer only while none of the node's devices is in use.
 */
final class CellPlacement {
    /** The node label with the index of the cell, from 0. */
    static final String CELL_LABEL = "claimstream.dev/cell";

    private final RouterStepBuilder step;
    private final RouterState state;

    CellPlacement(RouterStepBuilder step) {
        this.step = step;
        this.state = step.state;
    }

    // ---- nodes

    /**
     * Forwards an upserted node and requests its move if it belongs to another cell.
     *
     * <p>The target depends on the stored node, because the observation may be stale.
     */
    void upsert(String name, Observation observation) {
        send(name, observation);
        state.clusterState()
                .node(name)
                .ifPresent(node -> setTarget(
                        name,
                        labelCell(node)
                                .or(() -> sharedPoolCell(node))
                                .orElse(state.node(name).orElseThrow().target())));
    }

    /** Returns the cell of a node, and assigns one to a new node. */
    private int cellOrAssign(String name) {
        Optional<RouterRow.NodeRow> known = state.node(name);
        if (known.isPresent()) {
            return known.get().cell();
        }
        Optional<Node> node = state.clusterState().node(name);
        int cell = node.flatMap(this::labelCell)
                .or(() -> node.flatMap(this::sharedPoolCell))
                .orElseGet(state::cellWithFewestNodes);
        step.put(new RouterRow.NodeRow(name, cell, cell, 0));
        step.emit(new RouterOutput.NodePlacement(name, cell));
        return cell;
    }

    /** Restores the cell of a node after a rebuild. */
    void restore(String name, int cell) {
        if (cell < state.cells() && state.node(name).isEmpty()) {
            step.put(new RouterRow.NodeRow(name, cell, cell, 0));
        }
    }

    /** Restores the cell of a pool with a device in use after a rebuild. */
    void restore(PoolId pool, int cell) {
        if (state.pool(pool).isEmpty()) {
            step.put(new RouterRow.PoolRow(pool, cell, new TreeMap<>()));
        }
    }

    private int cellOf(String name) {
        return state.node(name).map(RouterRow.NodeRow::cell).orElseThrow();
    }

    private Optional<Integer> labelCell(Node node) {
        return Optional.ofNullable(node.meta().labels().get(CELL_LABEL))
                .filter(text -> text.matches("\\d{1,4}"))
                .map(Integer::valueOf)
                .filter(cell -> cell < state.cells());
    }

    /** Returns the cell of a shared pool that the node can access. */
    private Optional<Integer> sharedPoolCell(Node node) {
        return state.shared().stream()
                .flatMap(pool -> state.pool(pool).stream())
                .filter(pool -> pool.scopes().values().stream().anyMatch(scope -> reaches(node, scope)))
                .map(RouterRow.PoolRow::cell)
                .findFirst();
    }

    /** Returns whether a node can access a slice. A slice with per-device node selection counts as accessible from every node. */
    private static boolean reaches(Node node, NodeScope scope) {
        return switch (scope) {
            case NodeScope.SingleNode on -> on.node().equals(node.meta().name());
            case NodeScope.AllNodes all -> true;
            case NodeScope.MatchingNodes matching ->
                matching.selector().matches(node.meta().name(), node.meta().labels());
            case NodeScope.PerDevice perDevice -> true;
            case NodeScope.UnknownScope unset -> false;
        };
    }

    private void setTarget(String name, int cell) {
        RouterRow.NodeRow node = state.node(name).orElseThrow();
        if (node.target() != cell) {
            step.put(new RouterRow.NodeRow(name, node.cell(), cell, node.transfer()));
        }
        startTransfer(name);
    }

    /** Asks the cell of a node to hand it over. */
    private void startTransfer(String name) {
        RouterRow.NodeRow node = state.node(name).orElseThrow();
        if (node.target() == node.cell() || node.isMoving()) {
            return;
        }
        long transfer = step.nextAttempt();
        step.put(new RouterRow.NodeRow(name, node.cell(), node.target(), transfer));
        step.send(only(node.cell()), new Observation.NodeHandover(name, transfer));
    }

    /** Retries the transfers of nodes that the cell retained, because devices in it were released. */
    void retryTransfers(int cell) {
        for (String name : List.copyOf(state.misplaced())) {
            if (cellOf(name) == cell) {
                startTransfer(name);
            }
        }
    }

    /**
     * Retries the transfers of nodes in the cells with devices of a claim whose allocation has ended.
     *
     * <p>A cell that allocated the claim reports the release itself.
     */
    void retryTransfers(ResourceClaim released) {
        Optional<Integer> bound = state.bound(released.meta().uid()).map(RouterRow.BoundClaimRow::cell);
        released.allocation().stream()
                .flatMap(allocation -> allocation.results().stream())
                .flatMap(result -> state.pool(result.device().poolId()).stream())
                .map(RouterRow.PoolRow::cell)
                .distinct()
                .filter(cell -> !bound.equals(Optional.of(cell)))
                .forEach(this::retryTransfers);
    }

    /** Completes a transfer: moves the node and its objects to the target cell. */
    void completeTransfer(int cell, CellReport.NodeTransferred transferred) {
        Optional<RouterRow.NodeRow> moving = state.node(transferred.node())
                .filter(node -> node.transfer() == transferred.transfer() && node.cell() == cell);
        if (moving.isEmpty()) {
            return;
        }
        int target = moving.get().target();
        step.put(new RouterRow.NodeRow(transferred.node(), target, target, 0));
        step.emit(new RouterOutput.NodePlacement(transferred.node(), target));
        transferred.content().forEach(observation -> {
            if (observation instanceof Observation.ObjectUpserted upserted
                    && upserted.object() instanceof ResourceSlice slice) {
                step.put(new RouterRow.PoolRow(slice.poolId(), target, new TreeMap<>()));
            }
            step.send(only(target), observation);
        });
    }

    /** Ends a transfer that the cell rejected. It is retried when devices in the cell are released. */
    void rejectTransfer(int cell, CellReport.NodeRetained retained) {
        state.node(retained.node())
                .filter(node -> node.transfer() == retained.transfer() && node.cell() == cell)
                .ifPresent(node -> step.put(new RouterRow.NodeRow(node.node(), node.cell(), node.target(), 0)));
    }

    /** Forwards an observation of a node to the node's cell. */
    void send(String node, Observation observation) {
        step.send(only(cellOrAssign(node)), observation);
    }

    // ---- pools

    /**
     * Forwards an upserted slice and requests the move of nodes that can access it.
     *
     * <p>The target depends on the stored slice, because the observation may be stale.
     */
    void upsertSlice(String name, Observation.ObjectUpserted observation) {
        state.clusterState().slice(name).ifPresent(slice -> upsert(slice, observation));
    }

    /** Sends the slice to the cell of its pool, and its deletion to the previous cell if the pool changed. */
    private void upsert(ResourceSlice slice, Observation.ObjectUpserted observation) {
        String name = slice.meta().name();
        Optional<String> node =
                slice.scope() instanceof NodeScope.SingleNode on ? Optional.of(on.node()) : Optional.empty();
        node.ifPresent(this::cellOrAssign);
        Optional<Integer> before =
                state.slice(name).flatMap(known -> state.pool(known.pool())).map(RouterRow.PoolRow::cell);
        var row = new RouterRow.SliceRow(name, slice.poolId(), node);
        if (!state.slice(name).equals(Optional.of(row))) {
            step.put(row);
        }
        RouterRow.PoolRow pool = pool(slice, node);
        before.filter(cell -> cell != pool.cell())
                .ifPresent(cell -> step.send(
                        only(cell),
                        new Observation.ObjectDeleted(
                                observation.stamp(),
                                Kind.RESOURCE_SLICE,
                                slice.key(),
                                slice.meta().uid())));
        if (node.isPresent() && pool.cell() == cellOf(node.get())) {
            send(node.get(), observation);
            return;
        }
        step.send(only(pool.cell()), observation);
        node.ifPresentOrElse(
                each -> setTarget(each, pool.cell()),
                () -> state.clusterState()
                        .nodes()
                        .filter(each -> reaches(each, slice.scope()))
                        .map(each -> each.meta().name())
                        .toList()
                        .forEach(each -> {
                            cellOrAssign(each);
                            setTarget(each, pool.cell());
                        }));
    }

    /** Adds the slice to its pool's row and returns the row. A new pool is assigned to a cell. */
    private RouterRow.PoolRow pool(ResourceSlice slice, Optional<String> node) {
        Optional<RouterRow.PoolRow> known = state.pool(slice.poolId());
        int cell = known.map(RouterRow.PoolRow::cell)
                .orElseGet(() -> node.map(this::cellOf).orElseGet(() -> cellOf(slice.scope())));
        SortedMap<String, NodeScope> scopes =
                new TreeMap<>(known.map(RouterRow.PoolRow::scopes).orElse(new TreeMap<>()));
        if (node.isEmpty()) {
            scopes.put(slice.meta().name(), slice.scope());
        } else {
            scopes.remove(slice.meta().name());
        }
        var pool = new RouterRow.PoolRow(slice.poolId(), cell, scopes);
        if (!known.equals(Optional.of(pool))) {
            step.put(pool);
        }
        return pool;
    }

    private int cellOf(NodeScope scope) {
        return state.clusterState()
                .nodes()
                .filter(node -> reaches(node, scope))
                .flatMap(node -> state.node(node.meta().name()).stream())
                .map(RouterRow.NodeRow::cell)
                .findFirst()
                .orElseGet(state::cellWithFewestNodes);
    }

    /**
     * Forwards a deleted slice, unless the slice still exists because the observation is stale.
     *
     * <p>The pool row remains, so that late records of the slice reach the same cell.
     */
    void deleteSlice(Observation.ObjectDeleted deleted) {
        if (state.clusterState().slice(deleted.key().name()).isPresent()) {
            return;
        }
        Optional<RouterRow.SliceRow> slice = state.slice(deleted.key().name());
        Optional<String> node = slice.flatMap(RouterRow.SliceRow::node);
        Optional<Integer> cell =
                slice.map(RouterRow.SliceRow::pool).flatMap(state::pool).map(RouterRow.PoolRow::cell);
        if (node.isPresent() && cell.equals(state.node(node.get()).map(RouterRow.NodeRow::cell))) {
            send(node.get(), deleted);
        } else {
            step.send(cell.map(CellPlacement::only).orElseGet(state::allCells), deleted);
        }
        slice.map(RouterRow.SliceRow::pool).flatMap(state::pool).ifPresent(pool -> {
            if (pool.scopes().containsKey(deleted.key().name())) {
                SortedMap<String, NodeScope> scopes = new TreeMap<>(pool.scopes());
                scopes.remove(deleted.key().name());
                step.put(new RouterRow.PoolRow(pool.pool(), pool.cell(), scopes));
            }
        });
    }

    static SortedSet<Integer> only(int cell) {
        return new TreeSet<>(List.of(cell));
    }
}

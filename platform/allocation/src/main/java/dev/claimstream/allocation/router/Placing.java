package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Verdict;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.PoolId;
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
final class Placing {
    /** The node label with the index of the cell, from 0. */
    static final String CELL_LABEL = "claimstream.dev/cell";

    private final Turn turn;
    private final RouterState state;

    Placing(Turn turn) {
        this.turn = turn;
        this.state = turn.state;
    }

    // ---- nodes

    /**
     * Forwards an upserted node and requests its move if it belongs to another cell.
     *
     * <p>The target depends on the stored node, because the observation may be stale.
     */
    void seen(String name, Observation observation) {
        send(name, observation);
        state.world()
                .node(name)
                .ifPresent(node -> want(
                        name,
                        labelled(node)
                                .or(() -> shared(node))
                                .orElse(state.node(name).orElseThrow().wanted())));
    }

    /** Returns the cell of a node, and assigns one to a new node. */
    private int place(String name) {
        Optional<RouterRow.NodeRow> known = state.node(name);
        if (known.isPresent()) {
            return known.get().cell();
        }
        Optional<Node> node = state.world().node(name);
        int cell = node.flatMap(this::labelled)
                .or(() -> node.flatMap(this::shared))
                .orElseGet(state::emptiest);
        turn.put(new RouterRow.NodeRow(name, cell, cell, 0));
        turn.say(new RouterOutput.Placed(name, cell));
        return cell;
    }

    /** Restores the cell of a node after a rebuild. */
    void restored(String name, int cell) {
        if (cell < state.cells() && state.node(name).isEmpty()) {
            turn.put(new RouterRow.NodeRow(name, cell, cell, 0));
        }
    }

    /** Restores the cell of a pool with a device in use after a rebuild. */
    void restored(PoolId pool, int cell) {
        if (state.pool(pool).isEmpty()) {
            turn.put(new RouterRow.PoolRow(pool, cell, new TreeMap<>()));
        }
    }

    private int cellOf(String name) {
        return state.node(name).map(RouterRow.NodeRow::cell).orElseThrow();
    }

    private Optional<Integer> labelled(Node node) {
        return Optional.ofNullable(node.meta().labels().get(CELL_LABEL))
                .filter(text -> text.matches("\\d{1,4}"))
                .map(Integer::valueOf)
                .filter(cell -> cell < state.cells());
    }

    /** Returns the cell of a shared pool that the node can access. */
    private Optional<Integer> shared(Node node) {
        return state.shared().stream()
                .flatMap(pool -> state.pool(pool).stream())
                .filter(pool -> pool.scopes().values().stream().anyMatch(scope -> reaches(node, scope)))
                .map(RouterRow.PoolRow::cell)
                .findFirst();
    }

    /** Returns whether a node can access a slice. A slice with per-device node selection counts as accessible from every node. */
    private static boolean reaches(Node node, NodeScope scope) {
        return switch (scope) {
            case NodeScope.OnNode on -> on.node().equals(node.meta().name());
            case NodeScope.AllNodes all -> true;
            case NodeScope.Matching matching ->
                matching.selector().matches(node.meta().name(), node.meta().labels());
            case NodeScope.PerDevice perDevice -> true;
            case NodeScope.Unset unset -> false;
        };
    }

    private void want(String name, int cell) {
        RouterRow.NodeRow node = state.node(name).orElseThrow();
        if (node.wanted() != cell) {
            turn.put(new RouterRow.NodeRow(name, node.cell(), cell, node.transfer()));
        }
        move(name);
    }

    /** Asks the cell of a node to hand it over. */
    private void move(String name) {
        RouterRow.NodeRow node = state.node(name).orElseThrow();
        if (node.wanted() == node.cell() || node.isMoving()) {
            return;
        }
        long transfer = turn.nextAttempt();
        turn.put(new RouterRow.NodeRow(name, node.cell(), node.wanted(), transfer));
        turn.send(only(node.cell()), new Observation.HandOver(name, transfer));
    }

    /** Retries the transfers of nodes that the cell retained, because devices in it were released. */
    void freed(int cell) {
        for (String name : List.copyOf(state.misplaced())) {
            if (cellOf(name) == cell) {
                move(name);
            }
        }
    }

    /** Completes a transfer: moves the node and its objects to the target cell. */
    void handed(int cell, Verdict.Handed handed) {
        Optional<RouterRow.NodeRow> moving =
                state.node(handed.node()).filter(node -> node.transfer() == handed.transfer() && node.cell() == cell);
        if (moving.isEmpty()) {
            return;
        }
        int target = moving.get().wanted();
        turn.put(new RouterRow.NodeRow(handed.node(), target, target, 0));
        turn.say(new RouterOutput.Placed(handed.node(), target));
        handed.content().forEach(observation -> {
            if (observation instanceof Observation.Seen seen && seen.object() instanceof ResourceSlice slice) {
                turn.put(new RouterRow.PoolRow(slice.poolId(), target, new TreeMap<>()));
            }
            turn.send(only(target), observation);
        });
    }

    /** Ends a transfer that the cell rejected. It is retried when devices in the cell are released. */
    void kept(int cell, Verdict.Kept kept) {
        state.node(kept.node())
                .filter(node -> node.transfer() == kept.transfer() && node.cell() == cell)
                .ifPresent(node -> turn.put(new RouterRow.NodeRow(node.node(), node.cell(), node.wanted(), 0)));
    }

    /** Forwards an observation of a node to the node's cell. */
    void send(String node, Observation observation) {
        turn.send(only(place(node)), observation);
    }

    // ---- pools

    /**
     * Forwards an upserted slice and requests the move of nodes that can access it.
     *
     * <p>The target depends on the stored slice, because the observation may be stale.
     */
    void seenSlice(String name, Observation.Seen observation) {
        state.world().slice(name).ifPresent(slice -> seen(slice, observation));
    }

    /** Sends the slice to the cell of its pool, and its deletion to the previous cell if the pool changed. */
    private void seen(ResourceSlice slice, Observation.Seen observation) {
        String name = slice.meta().name();
        Optional<String> node =
                slice.scope() instanceof NodeScope.OnNode on ? Optional.of(on.node()) : Optional.empty();
        node.ifPresent(this::place);
        Optional<Integer> before =
                state.slice(name).flatMap(known -> state.pool(known.pool())).map(RouterRow.PoolRow::cell);
        var row = new RouterRow.SliceRow(name, slice.poolId(), node);
        if (!state.slice(name).equals(Optional.of(row))) {
            turn.put(row);
        }
        RouterRow.PoolRow pool = pool(slice, node);
        before.filter(cell -> cell != pool.cell())
                .ifPresent(cell -> turn.send(
                        only(cell),
                        new Observation.Gone(
                                observation.stamp(),
                                Kind.RESOURCE_SLICE,
                                slice.key(),
                                slice.meta().uid())));
        if (node.isPresent() && pool.cell() == cellOf(node.get())) {
            send(node.get(), observation);
            return;
        }
        turn.send(only(pool.cell()), observation);
        node.ifPresentOrElse(
                each -> want(each, pool.cell()),
                () -> state.world().nodes().values().stream()
                        .filter(each -> reaches(each, slice.scope()))
                        .map(each -> each.meta().name())
                        .toList()
                        .forEach(each -> {
                            place(each);
                            want(each, pool.cell());
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
            turn.put(pool);
        }
        return pool;
    }

    private int cellOf(NodeScope scope) {
        return state.world().nodes().values().stream()
                .filter(node -> reaches(node, scope))
                .flatMap(node -> state.node(node.meta().name()).stream())
                .map(RouterRow.NodeRow::cell)
                .findFirst()
                .orElseGet(state::emptiest);
    }

    /**
     * Forwards a deleted slice, unless the slice still exists because the observation is stale.
     *
     * <p>The pool row remains, so that late records of the slice reach the same cell.
     */
    void gone(Observation.Gone gone) {
        if (state.world().slice(gone.key().name()).isPresent()) {
            return;
        }
        Optional<RouterRow.SliceRow> slice = state.slice(gone.key().name());
        Optional<String> node = slice.flatMap(RouterRow.SliceRow::node);
        Optional<Integer> cell =
                slice.map(RouterRow.SliceRow::pool).flatMap(state::pool).map(RouterRow.PoolRow::cell);
        if (node.isPresent() && cell.equals(state.node(node.get()).map(RouterRow.NodeRow::cell))) {
            send(node.get(), gone);
        } else {
            turn.send(cell.map(Placing::only).orElseGet(state::all), gone);
        }
        slice.map(RouterRow.SliceRow::pool).flatMap(state::pool).ifPresent(pool -> {
            if (pool.scopes().containsKey(gone.key().name())) {
                SortedMap<String, NodeScope> scopes = new TreeMap<>(pool.scopes());
                scopes.remove(gone.key().name());
                turn.put(new RouterRow.PoolRow(pool.pool(), pool.cell(), scopes));
            }
        });
    }

    static SortedSet<Integer> only(int cell) {
        return new TreeSet<>(List.of(cell));
    }
}

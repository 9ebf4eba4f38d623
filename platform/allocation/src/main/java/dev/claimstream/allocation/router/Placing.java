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
 * Which cell a node and a pool are in. A node stays where it was put first. It moves only by a transfer, which its cell agrees to while
 * nothing on it is held: when its label asks for that, or when a pool that it reaches is elsewhere.
 */
final class Placing {
    /** The label of a node that names its cell, from 0. */
    static final String CELL_LABEL = "claimstream.dev/cell";

    private final Turn turn;
    private final RouterState state;

    Placing(Turn turn) {
        this.turn = turn;
        this.state = turn.state;
    }

    // ---- nodes
    // ---------------------------------------------------------------------------------------------------------------

    /** A node appeared or changed, or is shown again; where it belongs goes by what is known of it, for this may be old. */
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

    /** The cell of a node; one that is new gets one. */
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

    /** Where a node was, and stays. */
    void restored(String name, int cell) {
        if (cell < state.cells() && state.node(name).isEmpty()) {
            turn.put(new RouterRow.NodeRow(name, cell, cell, 0));
        }
    }

    /** Where a pool is of which something is held. */
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

    /** Where a pool is that the node reaches together with others. */
    private Optional<Integer> shared(Node node) {
        return state.shared().stream()
                .flatMap(pool -> state.pool(pool).stream())
                .filter(pool -> pool.scopes().values().stream().anyMatch(scope -> reaches(node, scope)))
                .map(RouterRow.PoolRow::cell)
                .findFirst();
    }

    /** Devices of one slice for different nodes count as if every node reached them. */
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

    /** Asks the cell of a node to let it go. */
    private void move(String name) {
        RouterRow.NodeRow node = state.node(name).orElseThrow();
        if (node.wanted() == node.cell() || node.isMoving()) {
            return;
        }
        long transfer = turn.nextAttempt();
        turn.put(new RouterRow.NodeRow(name, node.cell(), node.wanted(), transfer));
        turn.send(only(node.cell()), new Observation.HandOver(name, transfer));
    }

    /** Something in a cell is free: what was kept there may go now. */
    void freed(int cell) {
        for (String name : List.copyOf(state.misplaced())) {
            if (cellOf(name) == cell) {
                move(name);
            }
        }
    }

    /** A cell has let a node go: everything follows it. */
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

    /** A cell keeps a node. It is asked again when something there is free. */
    void kept(int cell, Verdict.Kept kept) {
        state.node(kept.node())
                .filter(node -> node.transfer() == kept.transfer() && node.cell() == cell)
                .ifPresent(node -> turn.put(new RouterRow.NodeRow(node.node(), node.cell(), node.wanted(), 0)));
    }

    /** Sends what is said of a node to its cell. */
    void send(String node, Observation observation) {
        turn.send(only(place(node)), observation);
    }

    // ---- pools
    // ---------------------------------------------------------------------------------------------------------------

    /** A slice appeared or changed, or is shown again; where it belongs goes by what is known of it, for this may be old. */
    void seenSlice(String name, Observation.Seen observation) {
        state.world().slice(name).ifPresent(slice -> seen(slice, observation));
    }

    /** It goes where its pool is. */
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

    /** The pool of a slice with the slice in it; one that is new gets a cell. */
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

    /** A slice is gone, if this is not old. Its pool stays where it is, so that a late word of it finds the way. */
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

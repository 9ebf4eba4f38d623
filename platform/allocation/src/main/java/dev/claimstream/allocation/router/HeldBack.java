package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ResourceSlice;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Defers observations about nodes in transfer between cells, and the barriers behind them.
 *
 * <p>A barrier closes earlier observations, for example the end of a list or a probe. If the target cell received the end of a list before
 * the deferred node, it would treat the node as deleted. Deferral is finite: a cell answers every transfer, and a barrier waits only for
 * observations before it.
 */
final class HeldBack {
    private final Turn turn;
    private final RouterState state;

    HeldBack(Turn turn) {
        this.turn = turn;
        this.state = turn.state;
    }

    /** Defers an observation if required, and returns whether it is deferred. */
    boolean keeps(Observation observation) {
        Optional<String> node = isClosing(observation) && !state.heldBack().isEmpty()
                ? Optional.of(RouterRow.HeldBackRow.NO_NODE)
                : onItsWay(observation);
        node.ifPresent(each -> turn.put(new RouterRow.HeldBackRow(each, turn.nextAttempt(), observation)));
        return node.isPresent();
    }

    /** Returns whether the observation is a barrier for all observations before it. */
    private static boolean isClosing(Observation observation) {
        return switch (observation) {
            case Observation.Listed listed -> isOfNodes(listed.kind());
            case Observation.Stale stale -> isOfNodes(stale.kind());
            case Observation.Probe _ -> true;
            default -> false;
        };
    }

    private static boolean isOfNodes(Kind kind) {
        return kind == Kind.NODE || kind == Kind.RESOURCE_SLICE;
    }

    /** Returns the node in transfer that an observation is about. */
    private Optional<String> onItsWay(Observation observation) {
        return nodes(observation).filter(this::isMoving).findFirst();
    }

    private Stream<String> nodes(Observation observation) {
        return switch (observation) {
            case Observation.Seen(Stamp _, ResourceSlice slice) ->
                Stream.concat(
                        nodeOf(slice.meta().name()),
                        slice.scope() instanceof NodeScope.OnNode on ? Stream.of(on.node()) : Stream.empty());
            case Observation.Seen seen
            when seen.object().kind() == Kind.NODE ->
                Stream.of(seen.object().meta().name());
            case Observation.Gone gone
            when gone.kind() == Kind.RESOURCE_SLICE -> nodeOf(gone.key().name());
            case Observation.Gone gone
            when gone.kind() == Kind.NODE -> Stream.of(gone.key().name());
            case Observation.Heard heard -> Stream.of(heard.node());
            default -> Stream.empty();
        };
    }

    private Stream<String> nodeOf(String slice) {
        return state.slice(slice).flatMap(RouterRow.SliceRow::node).stream();
    }

    private boolean isMoving(String node) {
        return state.node(node).filter(RouterRow.NodeRow::isMoving).isPresent();
    }

    /** Releases the observations of a node whose transfer has ended, and the barriers that are now first in order. */
    void release(String node, Consumer<Observation> observe) {
        for (RouterRow row :
                List.copyOf(state.rowsFrom(RouterRow.HeldBackRow.prefix(node)).values())) {
            if (row instanceof RouterRow.HeldBackRow word && !isMoving(node)) {
                release(word, observe);
            }
        }
        for (var first = first(); first.filter(row -> !row.isOfNode()).isPresent(); first = first()) {
            turn.drop(first.get().key());
            observe.accept(first.get().observation());
        }
    }

    /** Releases an observation, or defers it under its other node in transfer with the same number. */
    private void release(RouterRow.HeldBackRow word, Consumer<Observation> observe) {
        turn.drop(word.key());
        onItsWay(word.observation())
                .ifPresentOrElse(
                        other -> turn.put(new RouterRow.HeldBackRow(other, word.number(), word.observation())),
                        () -> observe.accept(word.observation()));
    }

    private Optional<RouterRow.HeldBackRow> first() {
        return state.heldBack().values().stream().findFirst();
    }
}

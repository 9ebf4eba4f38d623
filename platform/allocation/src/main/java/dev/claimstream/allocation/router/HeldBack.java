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
 * What waits for nodes that are on their way between cells: every word of such a node, and what closes the words before it, as the end of a
 * list does. A cell that heard of that end first would take the node for one that the list did not show.
 *
 * <p>Nothing waits for ever: a cell answers every transfer, and the end of a list waits only for words that came before it.
 */
final class HeldBack {
    private final Turn turn;
    private final RouterState state;

    HeldBack(Turn turn) {
        this.turn = turn;
        this.state = turn.state;
    }

    /** Keeps an observation if it has to wait, and says whether it has. */
    boolean keeps(Observation observation) {
        Optional<String> node = isClosing(observation) && !state.heldBack().isEmpty()
                ? Optional.of(RouterRow.HeldBackRow.NO_NODE)
                : onItsWay(observation);
        node.ifPresent(each -> turn.put(new RouterRow.HeldBackRow(each, turn.nextAttempt(), observation)));
        return node.isPresent();
    }

    /** Whether it counts for all that came before it. */
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

    /** The node on its way that an observation is about. */
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

    /** A node has arrived, or stays: what was said of it is observed now, and what waited behind that. */
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

    /** It may be about another node as well, which has left meanwhile; its place in the order stays. */
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

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
final class DeferredObservations {
    private final RouterStepBuilder step;
    private final RouterState state;

    DeferredObservations(RouterStepBuilder step) {
        this.step = step;
        this.state = step.state;
    }

    /** Defers an observation if required, and returns whether it is deferred. */
    boolean defer(Observation observation) {
        Optional<String> node = isBarrier(observation) && !state.deferred().isEmpty()
                ? Optional.of(RouterRow.DeferredObservationRow.NO_NODE)
                : movingNode(observation);
        node.ifPresent(each -> step.put(new RouterRow.DeferredObservationRow(each, step.nextAttempt(), observation)));
        return node.isPresent();
    }

    /** Returns whether the observation is a barrier for all observations before it. */
    private static boolean isBarrier(Observation observation) {
        return switch (observation) {
            case Observation.KindSynced listed -> isOfNodes(listed.kind());
            case Observation.KindStale stale -> isOfNodes(stale.kind());
            case Observation.Probe _ -> true;
            default -> false;
        };
    }

    private static boolean isOfNodes(Kind kind) {
        return kind == Kind.NODE || kind == Kind.RESOURCE_SLICE;
    }

    /** Returns the node in transfer that an observation is about. */
    private Optional<String> movingNode(Observation observation) {
        return nodes(observation).filter(this::isMoving).findFirst();
    }

    private Stream<String> nodes(Observation observation) {
        return switch (observation) {
            case Observation.ObjectUpserted(Stamp _, ResourceSlice slice) ->
                Stream.concat(
                        nodeOf(slice.meta().name()),
                        slice.scope() instanceof NodeScope.SingleNode on ? Stream.of(on.node()) : Stream.empty());
            case Observation.ObjectUpserted upserted
            when upserted.object().kind() == Kind.NODE ->
                Stream.of(upserted.object().meta().name());
            case Observation.ObjectDeleted deleted
            when deleted.kind() == Kind.RESOURCE_SLICE -> nodeOf(deleted.key().name());
            case Observation.ObjectDeleted deleted
            when deleted.kind() == Kind.NODE -> Stream.of(deleted.key().name());
            case Observation.NodeLiveness liveness -> Stream.of(liveness.node());
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
        for (RouterRow.DeferredObservationRow row :
                List.copyOf(state.rows(RouterRow.DeferredObservationRow.allOf(node)))) {
            if (!isMoving(node)) {
                release(row, observe);
            }
        }
        for (var first = first(); first.filter(row -> !row.isOfNode()).isPresent(); first = first()) {
            step.delete(first.get().key());
            observe.accept(first.get().observation());
        }
    }

    /** Releases an observation, or defers it under its other node in transfer with the same number. */
    private void release(RouterRow.DeferredObservationRow deferred, Consumer<Observation> observe) {
        step.delete(deferred.key());
        movingNode(deferred.observation())
                .ifPresentOrElse(
                        other -> step.put(
                                new RouterRow.DeferredObservationRow(other, deferred.number(), deferred.observation())),
                        () -> observe.accept(deferred.observation()));
    }

    private Optional<RouterRow.DeferredObservationRow> first() {
        return state.deferred().values().stream().findFirst();
    }
}

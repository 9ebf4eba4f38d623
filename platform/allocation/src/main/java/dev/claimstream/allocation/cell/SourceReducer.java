package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason.RetryTrigger;
import dev.claimstream.dra.Kind;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** Tracks the lists of sources, and the liveness of nodes. */
final class SourceReducer {
    private final ObservedState state;
    private final StateChange change;
    private final ObjectEffects effects;

    /** @param at time of the observation */
    SourceReducer(ObservedState state, StateChange change, Instant at) {
        this.state = state;
        this.change = change;
        this.effects = new ObjectEffects(state, change, at);
    }

    /** Notes the end of a list on one partition. With the last partition, unlisted objects are deleted. */
    void sync(Observation.KindSynced sync) {
        Stamp stamp = sync.stamp();
        ObservedRow.SourceRow known = state.row(ObservedRow.SourceRow.key(sync.kind(), stamp.source()))
                .orElseGet(() -> ObservedRow.SourceRow.unlisted(sync.kind(), stamp.source()));
        if (stamp.epoch() < known.epoch() || stamp.epoch() <= known.last().epoch()) {
            change.ignoreIfStale(stamp.epoch(), known.epoch());
            return;
        }
        SortedSet<Integer> arrived =
                new TreeSet<>(stamp.epoch() == known.epoch() ? known.syncedPartitions() : new TreeSet<>());
        arrived.add(sync.partition());
        boolean complete = arrived.size() >= sync.partitions();
        LastList last = complete ? LastList.of(stamp) : known.last();
        change.put(new ObservedRow.SourceRow(
                sync.kind(), stamp.source(), stamp.epoch(), arrived, last, known.stale() && !complete));
        if (complete) {
            change.retryTriggers.add(RetryTrigger.SOURCES);
            sweep(sync.kind(), stamp.source(), last, known.last());
        }
    }

    /** Deletes objects that the list did not contain, and tombstones that are no longer needed. */
    private void sweep(Kind kind, String source, LastList list, LastList before) {
        for (ObservedRow.ObjectRow object : state.rows(ObservedRow.ObjectRow.allOf(kind))) {
            if (object.stamp().source().equals(source) && list.sweeps(object.stamp(), before)) {
                change.drop(object);
                object.content()
                        .ifPresent(content -> effects.apply(
                                kind, object.object(), Optional.of(content), Optional.empty(), list.version()));
            }
        }
    }

    /** Notes that the view of a source is outdated. */
    void markStale(Observation.KindStale stale) {
        Optional<ObservedRow.SourceRow> known =
                state.row(ObservedRow.SourceRow.key(stale.kind(), stale.stamp().source()));
        known.ifPresent(
                row -> change.ignoreIfStale(stale.stamp().epoch(), row.last().epoch()));
        known.filter(row -> stale.stamp().epoch() >= row.last().epoch() && !row.stale())
                .ifPresent(row -> change.put(row.markedStale()));
    }

    /** Notes whether a node is silent. */
    void applyLiveness(Observation.NodeLiveness liveness) {
        Optional<ObservedRow.NodeLivenessRow> known = state.row(ObservedRow.NodeLivenessRow.key(liveness.node()));
        known.ifPresent(row ->
                change.ignoreIfStale(liveness.stamp().version(), row.stamp().version()));
        if (known.filter(row -> liveness.stamp().version() <= row.stamp().version())
                .isEmpty()) {
            change.put(new ObservedRow.NodeLivenessRow(liveness.node(), liveness.stamp(), liveness.silent()));
            change.retryTriggers.add(RetryTrigger.CAPACITY);
        }
    }
}

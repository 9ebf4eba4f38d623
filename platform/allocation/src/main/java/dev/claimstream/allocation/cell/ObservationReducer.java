package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason.RetryTrigger;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** Turns an observation into facts. Stale observations change nothing. */
final class ObservationReducer {
    private final State state;
    private final Instant at;
    private final StateChange change = new StateChange();

    private ObservationReducer(State state, Instant at) {
        this.state = state;
        this.at = at;
    }

    static StateChange of(State state, Input input) {
        var reducer = new ObservationReducer(state, input.at());
        reducer.expireRows();
        reducer.reduce(input.observation());
        return reducer.change;
    }

    private void reduce(Observation observation) {
        CellCoordination coordination = state.coordination();
        switch (observation) {
            case Observation.ObjectUpserted upsert -> new ObjectReducer(state, change, at).upsert(upsert);
            case Observation.ObjectDeleted deletion -> new ObjectReducer(state, change, at).delete(deletion);
            case Observation.KindSynced sync -> new SourceReducer(state, change, at).sync(sync);
            case Observation.KindStale stale -> new SourceReducer(state, change, at).markStale(stale);
            case Observation.NodeLiveness liveness -> new SourceReducer(state, change, at).applyLiveness(liveness);
            case Observation.CommitOutcome outcome -> new CommitOutcomeReducer(state, change).apply(outcome);
            case Observation.ItemAssigned assigned -> coordination.assign(assigned, change);
            case Observation.OfferDeclined declined -> coordination.decline(declined, change);
            case Observation.NodeHandover handover -> coordination.transferNode(handover, change);
            case Observation.SettingsChanged configured -> applySettings(configured);
            case Observation.DecisionRestored restored ->
                new CommitOutcomeReducer(state, change).restore(restored.decision());
            case Observation.Probe probe -> applyProbe(probe);
            case Observation.Tick _, Observation.WorkSliceDue _ -> {}
        }
    }

    private void expireRows() {
        for (Row over : state.expiredAt(at)) {
            change.drop(over);
            change.retryTriggers.add(
                    over instanceof ClaimRow.QuarantineRow ? RetryTrigger.CAPACITY : RetryTrigger.NODE_RESOURCES);
        }
    }

    private void applySettings(Observation.SettingsChanged changed) {
        new SettingsReducer(state, change).apply(changed);
        if (!changed.settings().engine().equals(state.settings().engine())) {
            state.chargedWork().all().forEach(change::drop); // another engine may give other answers
        }
    }

    private void applyProbe(Observation.Probe probe) {
        Optional<Row.ProbeRow> known = state.row(Row.ProbeRow.key(probe.id()));
        SortedSet<Integer> arrived =
                new TreeSet<>(known.map(Row.ProbeRow::arrivedPartitions).orElse(new TreeSet<>()));
        arrived.add(probe.partition());
        change.put(new Row.ProbeRow(
                probe.id(),
                arrived,
                probe.partitions(),
                known.map(Row.ProbeRow::slices).orElse(0)));
    }
}

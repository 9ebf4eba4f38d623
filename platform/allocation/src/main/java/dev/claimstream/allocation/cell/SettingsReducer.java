package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason.RetryTrigger;

/** Applies changed settings. */
final class SettingsReducer {
    private final ObservedState state;
    private final StateChange change;

    SettingsReducer(ObservedState state, StateChange change) {
        this.state = state;
        this.change = change;
    }

    void apply(Observation.SettingsChanged changed) {
        if (!changed.settings().equals(state.settings())) {
            change.put(new Row.SettingsRow(changed.settings()));
            state.podIndex().groupMembers().forEach(pod -> change.touched.add(ItemId.pod(pod)));
            if (!changed.settings().features().equals(state.settings().features())) {
                ClaimConsumers.decidedClaims(state).forEach(claim -> change.touched.add(ItemId.claim(claim)));
            }
            if (!changed.settings().observeOnly()) {
                state.rows(ClaimRow.AllocationRow.ALL).stream()
                        .filter(ClaimRow.AllocationRow::isObserved)
                        .forEach(observed -> change.withdraw(observed, state)); // decided again, and published
            }
            change.retryTriggers.add(RetryTrigger.SOURCES);
            change.retryTriggers.add(RetryTrigger.CAPACITY);
        }
    }
}

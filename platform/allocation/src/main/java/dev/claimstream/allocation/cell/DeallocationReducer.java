package dev.claimstream.allocation.cell;

import java.util.Optional;

/** Keeps the row of a deallocation from its decision until the claim or the pod changes. */
final class DeallocationReducer {
    private final ObservedState state;
    private final StateChange change;

    DeallocationReducer(ObservedState state, StateChange change) {
        this.state = state;
        this.change = change;
    }

    /** The row of a deallocation that is decided now. */
    static ClaimRow.DeallocationRow rowOf(
            ObservedState state, Decision decision, Decision.DecisionResult.Deallocation result) {
        return new ClaimRow.DeallocationRow(
                decision.claim(),
                decision.claimUid(),
                decision.number(),
                result.claimVersion(),
                decision.item(),
                state.pod(decision.item().key()).map(pod -> pod.meta().uid()).orElse(""),
                Optional.empty());
    }

    /** The open deallocation that an outcome rejects. */
    Optional<ClaimRow.DeallocationRow> findRejected(Observation.CommitOutcome outcome) {
        return state.deallocation(outcome.claimUid())
                .filter(row -> outcome.result() == Observation.CommitOutcome.Result.REJECTED
                        && row.isActive()
                        && row.number() == outcome.number());
    }

    /**
     * Keeps the rejection of a deallocation. The same decision would be rejected again until the claim or the pod
     * changes.
     */
    void reject(ClaimRow.DeallocationRow row, Observation.CommitOutcome rejection) {
        boolean isOver = state.version(row.claim()) > rejection.claimVersion() && rejection.claimVersion() > 0;
        if (isOver || !isCurrent(row)) {
            change.drop(row);
        } else {
            change.put(row.withRejection(rejection.message(), rejection.claimVersion()));
        }
        change.touchUsersOf(row.claim(), state);
    }

    /** Whether the pod and the claim of a deallocation still exist. */
    private boolean isCurrent(ClaimRow.DeallocationRow row) {
        return state.claimWithUid(row.claimUid()).isPresent()
                && state.pod(row.item().key())
                        .filter(pod -> pod.meta().uid().equals(row.podUid()))
                        .isPresent();
    }
}

package dev.claimstream.allocation.cell;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import java.util.Optional;

/** Applies commit outcomes, and decisions that are restored after a loss of state. */
final class CommitOutcomeReducer {
    private final State state;
    private final StateChange change;

    CommitOutcomeReducer(State state, StateChange change) {
        this.state = state;
        this.change = change;
    }

    void apply(Observation.CommitOutcome outcome) {
        int before = change.facts.size();
        switch (outcome.result()) {
            case COMMITTED ->
                state.decidedAllocation(outcome.claimUid())
                        .filter(decided -> concerns(decided, outcome))
                        .ifPresent(decided -> change.put(decided.with(ClaimRow.AllocationRow.CommitState.COMMITTED)));
            case REJECTED -> {
                var deallocations = new DeallocationReducer(state, change);
                deallocations
                        .findRejected(outcome)
                        .ifPresentOrElse(row -> deallocations.reject(row, outcome), () -> reject(outcome));
            }
        }
        if (change.facts.size() == before) {
            change.ignored = ignoredReason(outcome);
        }
    }

    /**
     * Why an outcome was ignored. COMMITTED is reported for every decision except pending ones, also if no allocation
     * waits for it.
     */
    private Optional<IgnoredObservation.IgnoredReason> ignoredReason(Observation.CommitOutcome outcome) {
        if (state.coordination().mayBeOfOtherCell(outcome)) {
            return Optional.empty();
        }
        if (outcome.number() < 1 || outcome.number() > state.count().decisions()) {
            return Optional.of(IgnoredObservation.IgnoredReason.UNKNOWN_DECISION);
        }
        return switch (outcome.result()) {
            case COMMITTED -> Optional.empty();
            case REJECTED -> Optional.of(IgnoredObservation.IgnoredReason.STALE);
        };
    }

    /**
     * Whether an outcome concerns an allocation: its decision number matches and the claim's status has no allocation.
     * No outcome concerns an allocation of observe-only mode, because no writer knows it.
     */
    private boolean concerns(ClaimRow.AllocationRow decided, Observation.CommitOutcome outcome) {
        return decided.number() == outcome.number()
                && !decided.isObserved()
                && decided.commitState() != ClaimRow.AllocationRow.CommitState.COMMITTED
                && !isInStatus(decided);
    }

    private boolean isInStatus(ClaimRow.AllocationRow decided) {
        return state.claim(decided.claim())
                .filter(claim -> claim.meta().uid().equals(decided.claimUid()))
                .flatMap(ResourceClaim::allocation)
                .isPresent();
    }

    /**
     * Handles a rejection.
     *
     * <p>A revoked allocation is released and decided again. A rejected one is kept as a rejection until the claim
     * changes. The newer claim may have been observed first: then the current allocation was decided for it and gets
     * its own outcome.
     */
    private void reject(Observation.CommitOutcome outcome) {
        Optional<ObservedRow.ObjectRow> claim =
                state.claimWithUid(outcome.claimUid()).flatMap(key -> state.object(Kind.RESOURCE_CLAIM, key));
        boolean isForNow = claim.filter(row -> row.stamp().version() <= outcome.claimVersion())
                .isPresent();
        claim.filter(row -> isForNow).ifPresent(row -> clearAvoidedNodes(row.object(), outcome.claimVersion()));
        Optional<ClaimRow.AllocationRow> decided = state.decidedAllocation(outcome.claimUid());
        boolean isOver = decided.filter(row -> concerns(row, outcome) || (isForNow && isSuperseded(row, outcome)))
                .isPresent();
        if (decided.isPresent() && !isOver) {
            return;
        }
        decided.ifPresent(row -> {
            change.release(row, state);
            change.touchUsersOf(row, state);
        });
        boolean isRevoked = decided.filter(row -> row.commitState() == ClaimRow.AllocationRow.CommitState.REVOKED)
                .isPresent();
        boolean counts = outcome.claimVersion() == 0 ? isOver : isForNow;
        claim.filter(row -> counts && !isRevoked).ifPresent(row -> {
            change.put(new ClaimRow.RejectionRow(outcome.claimUid(), outcome.message(), outcome.claimVersion()));
            change.touchUsersOf(row.object(), state);
        });
    }

    /** Whether the writer no longer commits this allocation. It was decided for an earlier version of the claim. */
    private static boolean isSuperseded(ClaimRow.AllocationRow decided, Observation.CommitOutcome rejection) {
        return !decided.isObserved()
                && decided.commitState() != ClaimRow.AllocationRow.CommitState.COMMITTED
                && (decided.number() == rejection.number()
                        || (decided.claimVersion() > 0 && decided.claimVersion() < rejection.claimVersion()));
    }

    /** Removes avoided nodes that only result from a clear by the writer. */
    private void clearAvoidedNodes(ObjectKey claim, long version) {
        state.podsOf(claim).stream()
                .flatMap(pod -> state.rows(SchedulingRow.AvoidedNodeRow.allOf(ItemId.pod(pod))).stream())
                .filter(row -> row.claimVersion() == version)
                .forEach(row -> {
                    change.drop(row);
                    change.touched.add(row.item());
                });
    }

    /** Restores a decision after a loss of state. */
    void restore(Decision decision) {
        Row.CountRow count = state.count();
        change.put(count.withDecisions(Math.max(count.decisions(), decision.number())));
        switch (decision.result()) {
            case Decision.DecisionResult.Allocated allocated ->
                restoreAllocation(decision, allocated, ClaimRow.AllocationRow.CommitState.DECIDED);
            case Decision.DecisionResult.Revoked revoked ->
                restoreAllocation(decision, revoked.allocated(), ClaimRow.AllocationRow.CommitState.REVOKED);
            case Decision.DecisionResult.Pending pending -> {}
            case Decision.DecisionResult.Deallocation
                    deallocation -> {} // decided again if the claim still has the allocation
            case Decision.DecisionResult.Released released ->
                state.decidedAllocation(decision.claimUid())
                        .filter(decided -> decided.number() == decision.number())
                        .ifPresent(decided -> change.release(decided, state));
        }
    }

    private void restoreAllocation(
            Decision decision,
            Decision.DecisionResult.Allocated allocated,
            ClaimRow.AllocationRow.CommitState commitState) {
        if (state.decidedAllocation(decision.claimUid())
                .filter(known -> known.number() >= decision.number())
                .isEmpty()) {
            change.put(ClaimRow.AllocationRow.builder(
                            decision.claim(), decision.claimUid(), decision.item(), allocated.allocation())
                    .number(decision.number())
                    .node(allocated.node())
                    .reservedFor(allocated.reservedFor())
                    .claimVersion(allocated.claimVersion())
                    .commitState(commitState)
                    .build());
        }
    }
}

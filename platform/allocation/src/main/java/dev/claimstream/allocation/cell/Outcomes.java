package dev.claimstream.allocation.cell;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import java.util.Optional;

/** Applies commit outcomes, and decisions that are restored after a loss of state. */
final class Outcomes {
    private final State state;
    private final Change change;

    Outcomes(State state, Change change) {
        this.state = state;
        this.change = change;
    }

    void carried(Observation.Carried carried) {
        int before = change.facts.size();
        switch (carried.result()) {
            case COMMITTED ->
                state.grant(carried.claimUid())
                        .filter(grant -> isAnswered(grant, carried))
                        .ifPresent(grant -> change.put(grant.with(Row.GrantRow.Standing.COMMITTED)));
            case REFUSED ->
                state.deallocation(carried.claimUid())
                        .filter(row -> row.isOrdered() && row.number() == carried.number())
                        .ifPresentOrElse(row -> notDeallocated(row, carried), () -> refused(carried));
        }
        if (change.facts.size() == before) {
            change.ignored = whyIgnored(carried);
        }
    }

    /** Why an outcome was ignored. COMMITTED is reported for every decision, also when no allocation waits for it. */
    private Optional<Ignored.Why> whyIgnored(Observation.Carried carried) {
        if (!state.place().isAlone() && state.grant(carried.claimUid()).isEmpty()) {
            return Optional.empty(); // it may be for another cell
        }
        if (carried.number() < 1 || carried.number() > state.count().decisions()) {
            return Optional.of(Ignored.Why.UNKNOWN_DECISION);
        }
        return switch (carried.result()) {
            case COMMITTED -> Optional.empty();
            case REFUSED -> Optional.of(Ignored.Why.STALE);
        };
    }

    /**
     * Whether an outcome concerns an allocation: its decision number matches and the claim's status has no allocation.
     */
    private boolean isAnswered(Row.GrantRow grant, Observation.Carried carried) {
        return grant.number() == carried.number()
                && grant.standing() != Row.GrantRow.Standing.COMMITTED
                && !isInStatus(grant);
    }

    private boolean isInStatus(Row.GrantRow grant) {
        return state.claim(grant.claim())
                .filter(claim -> claim.meta().uid().equals(grant.claimUid()))
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
    private void refused(Observation.Carried carried) {
        Optional<Row.ObjectRow> claim =
                state.claimWithUid(carried.claimUid()).flatMap(key -> state.object(Kind.RESOURCE_CLAIM, key));
        boolean isForNow = claim.filter(row -> row.stamp().version() <= carried.claimVersion())
                .isPresent();
        claim.filter(row -> isForNow).ifPresent(row -> reopen(row.object(), carried.claimVersion()));
        Optional<Row.GrantRow> given = state.grant(carried.claimUid());
        boolean isOver = given.filter(
                        grant -> isAnswered(grant, carried) || (isForNow && isNotCarriedOut(grant, carried)))
                .isPresent();
        if (given.isPresent() && !isOver) {
            return;
        }
        given.ifPresent(grant -> {
            change.release(grant, state);
            change.touchUsersOf(grant, state);
        });
        boolean isTakenBack = given.filter(grant -> grant.standing() == Row.GrantRow.Standing.REVOKED)
                .isPresent();
        boolean counts = carried.claimVersion() == 0 ? isOver : isForNow;
        claim.filter(row -> counts && !isTakenBack).ifPresent(row -> {
            change.put(new Row.RefusedRow(carried.claimUid(), carried.message(), carried.claimVersion()));
            change.touchUsersOf(row.object(), state);
        });
    }

    /** Whether the writer no longer commits this allocation. It was decided for an earlier version of the claim. */
    private static boolean isNotCarriedOut(Row.GrantRow grant, Observation.Carried refusal) {
        return grant.standing() != Row.GrantRow.Standing.COMMITTED
                && (grant.number() == refusal.number()
                        || (grant.claimVersion() > 0 && grant.claimVersion() < refusal.claimVersion()));
    }

    /**
     * Keeps the rejection of a deallocation. The same decision would be rejected again until the claim or the pod
     * changes.
     */
    private void notDeallocated(Row.DeallocationRow row, Observation.Carried rejection) {
        boolean isOver = state.version(row.claim()) > rejection.claimVersion() && rejection.claimVersion() > 0;
        if (isOver || !Deallocation.isOf(state, row)) {
            change.drop(row.key());
        } else {
            change.put(row.rejected(rejection.message(), rejection.claimVersion()));
        }
        change.touchUsersOf(row.claim(), state);
    }

    /** Removes avoided nodes that only result from a clear by the writer. */
    private void reopen(ObjectKey claim, long version) {
        state.podsOf(claim).stream()
                .flatMap(pod -> state.rowsFrom(Row.AvoidRow.prefix(ItemId.pod(pod))).values().stream())
                .map(Row.AvoidRow.class::cast)
                .filter(row -> row.claimVersion() == version)
                .forEach(row -> {
                    change.drop(row.key());
                    change.touched.add(row.item());
                });
    }

    /** Restores a decision after a loss of state. */
    void restored(Decision decision) {
        Row.CountRow count = state.count();
        change.put(new Row.CountRow(Math.max(count.decisions(), decision.number()), count.grants(), count.offset()));
        switch (decision.verdict()) {
            case Decision.Verdict.Granted granted -> holdAgain(decision, granted, Row.GrantRow.Standing.GIVEN);
            case Decision.Verdict.Revoked revoked -> holdAgain(decision, revoked.what(), Row.GrantRow.Standing.REVOKED);
            case Decision.Verdict.Waits waits -> {}
            case Decision.Verdict.Deallocation deallocation -> {} // decided again if the claim still has the allocation
            case Decision.Verdict.Released released ->
                state.grant(decision.claimUid())
                        .filter(grant -> grant.number() == decision.number())
                        .ifPresent(grant -> change.release(grant, state));
        }
    }

    private void holdAgain(Decision decision, Decision.Verdict.Granted granted, Row.GrantRow.Standing standing) {
        if (state.grant(decision.claimUid())
                .filter(known -> known.number() >= decision.number())
                .isEmpty()) {
            change.put(new Row.GrantRow(
                    decision.claim(),
                    decision.claimUid(),
                    decision.number(),
                    decision.item(),
                    granted.node(),
                    granted.allocation(),
                    granted.reservedFor(),
                    granted.claimVersion(),
                    standing));
        }
    }
}

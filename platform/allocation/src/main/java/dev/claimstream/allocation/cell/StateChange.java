package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectKey;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** The direct effects of an observation, before any item is attempted. */
final class StateChange {
    final List<Fact> facts = new ArrayList<>();
    final List<Output> outputs = new ArrayList<>();
    final SortedSet<ItemId> touched = new TreeSet<>();
    /** Whether a claim's status has a new allocation. */
    boolean hasAllocated;

    final Set<Reason.RetryTrigger> retryTriggers = EnumSet.noneOf(Reason.RetryTrigger.class);

    /** Why the observation was ignored; absent for a mere repetition. */
    Optional<IgnoredObservation.IgnoredReason> ignored = Optional.empty();

    void put(Row row) {
        facts.add(new Fact.Put(row));
    }

    void drop(Row row) {
        facts.add(new Fact.Drop(row.key()));
    }

    void drop(RowKey<?> key) {
        facts.add(new Fact.Drop(key));
    }

    /** Touches the items that depend on an allocation. */
    void touchUsersOf(ClaimRow.AllocationRow decided, ObservedState state) {
        touched.add(decided.item());
        touchUsersOf(decided.claim(), state);
    }

    /** Touches the items that use a claim. */
    void touchUsersOf(ObjectKey claim, ObservedState state) {
        touched.add(ItemId.claim(claim));
        state.podsOf(claim).forEach(pod -> touched.add(ItemId.pod(pod)));
    }

    /** Withdraws an allocation of observe-only mode. No writer knows it, so its devices are free at once. */
    void withdraw(ClaimRow.AllocationRow observed, ObservedState state) {
        release(observed, state);
        touchUsersOf(observed, state);
        outputs.add(new Output.ClaimCompared(Comparisons.withdrawn(state, observed)));
    }

    /**
     * Revokes an allocation before its commit. The devices stay allocated until the writer confirms. An allocation of
     * observe-only mode is withdrawn.
     */
    void revoke(ClaimRow.AllocationRow decided, ObservedState state, String reason) {
        if (decided.isObserved()) {
            withdraw(decided, state);
            return;
        }
        put(decided.with(ClaimRow.AllocationRow.CommitState.REVOKED));
        touchUsersOf(decided, state);
        outputs.add(new Output.DecisionMade(new Decision(
                decided.claim(),
                decided.claimUid(),
                decided.number(),
                decided.item(),
                new Decision.DecisionResult.Revoked(decided.result(), reason))));
    }

    /** Releases an allocation: its devices are free. */
    void release(ClaimRow.AllocationRow decided, ObservedState state) {
        retryTriggers.add(Reason.RetryTrigger.CAPACITY);
        drop(decided);
        outputs.add(new Output.DecisionMade(new Decision(
                decided.claim(),
                decided.claimUid(),
                decided.number(),
                decided.item(),
                new Decision.DecisionResult.Released())));
        outputs.addAll(state.coordination().allocationReleased(decided.claimUid()));
    }

    /** Notes that an observation is ignored if it is older than what is known. */
    void ignoreIfStale(long version, long known) {
        if (version < known) {
            ignored = Optional.of(IgnoredObservation.IgnoredReason.STALE);
        }
    }

    void report(CellReport report) {
        outputs.add(new Output.RouterMessage(report));
    }
}

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
final class Change {
    final List<Fact> facts = new ArrayList<>();
    final List<Output> outputs = new ArrayList<>();
    final SortedSet<ItemId> touched = new TreeSet<>();
    /** Whether a claim's status has a new allocation. */
    boolean takes;

    final Set<Reason.Wake> wakes = EnumSet.noneOf(Reason.Wake.class);

    /** Why the observation was ignored; absent for a mere repetition. */
    Optional<Ignored.Why> ignored = Optional.empty();

    void put(Row row) {
        facts.add(new Fact.Put(row));
    }

    void drop(String key) {
        facts.add(new Fact.Drop(key));
    }

    /** Touches the items that depend on an allocation. */
    void touchUsersOf(Row.GrantRow grant, State state) {
        touched.add(grant.item());
        touchUsersOf(grant.claim(), state);
    }

    /** Touches the items that use a claim. */
    void touchUsersOf(ObjectKey claim, State state) {
        touched.add(ItemId.claim(claim));
        state.podsOf(claim).forEach(pod -> touched.add(ItemId.pod(pod)));
    }

    /** Revokes an allocation before its commit. The devices stay allocated until the writer confirms. */
    void revoke(Row.GrantRow grant, State state, String why) {
        put(grant.with(Row.GrantRow.Standing.REVOKED));
        touchUsersOf(grant, state);
        outputs.add(new Output.Decided(new Decision(
                grant.claim(),
                grant.claimUid(),
                grant.number(),
                grant.item(),
                new Decision.Verdict.Revoked(grant.verdict(), why))));
    }

    /** Releases an allocation: its devices are free. */
    void release(Row.GrantRow grant, State state) {
        wakes.add(Reason.Wake.CAPACITY);
        drop(grant.key());
        outputs.add(new Output.Decided(new Decision(
                grant.claim(), grant.claimUid(), grant.number(), grant.item(), new Decision.Verdict.Released())));
        if (!state.place().isAlone()) {
            toRouter(new Verdict.Freed(grant.claimUid()));
        }
    }

    void toRouter(Verdict verdict) {
        outputs.add(new Output.ToRouter(verdict));
    }
}

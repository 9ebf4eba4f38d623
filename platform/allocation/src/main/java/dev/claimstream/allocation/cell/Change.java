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

/** What an observation leads to by itself, before any item is looked at. */
final class Change {
    final List<Fact> facts = new ArrayList<>();
    final List<Output> outputs = new ArrayList<>();
    final SortedSet<ItemId> touched = new TreeSet<>();
    /** Whether somebody else has got devices. */
    boolean takes;

    final Set<Reason.Wake> wakes = EnumSet.noneOf(Reason.Wake.class);

    /** Why it leads to nothing, where that is worth a word. */
    Optional<Ignored.Why> ignored = Optional.empty();

    void put(Row row) {
        facts.add(new Fact.Put(row));
    }

    void drop(String key) {
        facts.add(new Fact.Drop(key));
    }

    /** Whoever counts as served with a grant that does not stand any more is looked at again. */
    void touchUsersOf(Row.GrantRow grant, State state) {
        touched.add(grant.item());
        touchUsersOf(grant.claim(), state);
    }

    /** Whoever uses a claim is looked at again. */
    void touchUsersOf(ObjectKey claim, State state) {
        touched.add(ItemId.claim(claim));
        state.podsOf(claim).forEach(pod -> touched.add(ItemId.pod(pod)));
    }

    /** What was given is not to be committed any more; it stays held until the writer answers. */
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

    /** What was given is free. */
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

package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason;
import java.util.List;
import java.util.Optional;

/**
 * What differs where there are several cells. An item is served only while the router has lent it to this cell. One that cannot be
 * served is given back at once, and stays in the queue here to be looked out for: when it would fit, the router is told.
 */
final class Lending {
    /** Offers that the router has not taken up yet; more would only come back. */
    private static final int OFFERS_MAX = 16;

    private Lending() {}

    /**
     * An item that waits: given back, or its new reason told. Before its larger effort is spent nothing is said, and what is missing
     * before it can be looked at the router knows itself.
     */
    static Deciding.Looked notServed(State state, Row.ItemRow waiting, Explanation.Because.Waits because, long steps) {
        Row.LeaseRow lease = state.lease(waiting.item()).orElseThrow();
        var put = new Fact.Put(waiting);
        Reason reason = because.diagnosis().reason();
        boolean isReady = Assembly.of(state, waiting.item()) instanceof Assembly.Ready;
        boolean isOpen = (reason == Reason.Undecided && !waiting.thorough()) || (!lease.here() && !isReady);
        if (isOpen) {
            return new Deciding.Looked(List.of(put), List.of(), steps);
        }
        Verdict verdict = lease.here()
                ? new Verdict.GivenBack(
                        lease.item(), lease.attempt(), state.count().decisions(), because)
                : new Verdict.Reasoned(lease.item(), because);
        var away = new Row.LeaseRow(lease.item(), lease.uid(), lease.attempt(), false, false);
        return new Deciding.Looked(List.of(put, new Fact.Put(away)), List.of(new Output.ToRouter(verdict)), steps);
    }

    /** Whether the router has been told that it would fit, and has not said yet what becomes of it. */
    static boolean isOffered(State state, ItemId item) {
        return state.lease(item).filter(Row.LeaseRow::offered).isPresent();
    }

    /** An item that would fit and is not here. */
    static Deciding.Looked offer(State state, ItemId item, long steps) {
        Row.LeaseRow lease = state.lease(item).orElseThrow();
        if (state.offered().size() >= OFFERS_MAX) {
            return new Deciding.Looked(List.of(), List.of(), steps);
        }
        var offered = new Row.LeaseRow(item, lease.uid(), lease.attempt(), false, true);
        return new Deciding.Looked(
                List.of(new Fact.Put(offered)), List.of(new Output.ToRouter(new Verdict.WouldFit(item))), steps);
    }

    /** An item that has everything from elsewhere is not looked out for any more. */
    static Deciding.Looked end(State state, Row.ItemRow row) {
        Row.LeaseRow lease = state.lease(row.item()).orElseThrow();
        return new Deciding.Looked(List.of(new Fact.Drop(row.key()), new Fact.Drop(lease.key())), List.of(), 0);
    }

    /** What the router is told of an item that has everything. */
    static Optional<Output> served(State state, ItemId item, long number, List<String> claims) {
        return state.lease(item)
                .map(lease -> new Output.ToRouter(new Verdict.Served(item, lease.attempt(), number, claims)));
    }
}

package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What differs where there are several cells. An item is served only while the router has lent it to this cell. One that cannot be
 * served is given back at once, and stays in the queue here to be looked out for: when it would fit, the router is told.
 */
final class Lending {
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

    /**
     * An item that would fit and is not here. Where there are offers enough it has its turn when one of them is answered, if it is looked
     * at then; one that waited for a class is not, and is offered all the same.
     */
    static Deciding.Looked offer(State state, Row.ItemRow row, long steps) {
        boolean hasItsTurn = row.reason()
                .filter(reason -> reason.wake().isMetBy(Reason.Wake.CAPACITY))
                .isPresent();
        if (hasItsTurn && state.offered().size() >= offersMax(state)) {
            return new Deciding.Looked(List.of(), List.of(), steps);
        }
        Row.LeaseRow lease = state.lease(row.item()).orElseThrow();
        var offered = new Row.LeaseRow(row.item(), lease.uid(), lease.attempt(), false, true);
        return new Deciding.Looked(
                List.of(new Fact.Put(offered)), List.of(new Output.ToRouter(new Verdict.WouldFit(row.item()))), steps);
    }

    /**
     * How many offers lead to something at a time: one for each device that is free, and one for each other cell that may have offered to
     * take the same item. Where no device is free, whoever fits shares one, perhaps with many.
     */
    private static long offersMax(State state) {
        long most = state.place().offersMax();
        return state.free() == 0
                ? most
                : Math.min(most, state.free() + state.place().cells() - 1);
    }

    /** Whether an offer comes to an end with this. */
    static boolean isOfferOver(@Nullable Row before, Fact fact) {
        return before instanceof Row.LeaseRow lease
                && lease.offered()
                && !(fact instanceof Fact.Put(Row.LeaseRow after) && after.offered());
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

package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rules for leased items; only with several cells.
 *
 * <p>An item is allocated only while the router leases it to this cell. An item that does not fit is returned at once.
 * It stays in the queue and is offered to the router when it fits.
 */
final class Lending {
    private Lending() {}

    /**
     * Returns a pending item to the router, or reports its new reason.
     *
     * <p>No report before the search with the larger budget. No report if an object is missing: the router knows that.
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

    /** Whether an offer of the item is open. */
    static boolean isOffered(State state, ItemId item) {
        return state.lease(item).filter(Row.LeaseRow::offered).isPresent();
    }

    /**
     * Offers a returned item that fits.
     *
     * <p>If the offers are used up, the item has its turn when one of them ends. An item that is not woken by capacity,
     * such as one waiting for a class, is offered in any case.
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
     * The maximum number of useful open offers.
     *
     * <p>One per free device, plus one per other cell that may have offered the same item. With no free device, items
     * share devices, so only the configured maximum counts.
     */
    private static long offersMax(State state) {
        long most = state.place().offersMax();
        return state.free() == 0
                ? most
                : Math.min(most, state.free() + state.place().cells() - 1);
    }

    /** Whether an open offer ends with this fact. */
    static boolean isOfferOver(@Nullable Row before, Fact fact) {
        return before instanceof Row.LeaseRow lease
                && lease.offered()
                && !(fact instanceof Fact.Put(Row.LeaseRow after) && after.offered());
    }

    /** Drops a returned item whose claims were allocated elsewhere. */
    static Deciding.Looked end(State state, Row.ItemRow row) {
        Row.LeaseRow lease = state.lease(row.item()).orElseThrow();
        return new Deciding.Looked(List.of(new Fact.Drop(row.key()), new Fact.Drop(lease.key())), List.of(), 0);
    }

    /** The report to the router that all claims of an item are allocated. */
    static Optional<Output> served(State state, ItemId item, long number, List<String> claims) {
        return state.lease(item)
                .map(lease -> new Output.ToRouter(new Verdict.Served(item, lease.attempt(), number, claims)));
    }
}

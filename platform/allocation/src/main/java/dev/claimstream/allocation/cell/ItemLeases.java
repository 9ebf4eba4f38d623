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
final class ItemLeases {
    private ItemLeases() {}

    /**
     * Returns a pending item to the router, or reports its new reason.
     *
     * <p>No report before the search with the larger budget. No report if an object is missing: the router knows that.
     */
    static ItemAllocator.ItemResult reportPending(
            State state, SchedulingRow.ItemRow waiting, Explanation.ExplanationDetail.Pending detail, long steps) {
        SchedulingRow.LeaseRow lease = state.lease(waiting.item()).orElseThrow();
        var put = new Fact.Put(waiting);
        Reason reason = detail.diagnosis().reason();
        boolean isReady = WorkItemAssembly.of(state, waiting.item()) instanceof WorkItemAssembly.Ready;
        boolean isOpen =
                (reason == Reason.SearchBudgetExhausted && !waiting.thorough()) || (!lease.isActive() && !isReady);
        if (isOpen) {
            return new ItemAllocator.ItemResult(List.of(put), List.of(), steps);
        }
        CellReport report = lease.isActive()
                ? new CellReport.ItemReturned(
                        lease.item(), lease.attempt(), state.count().decisions(), detail)
                : new CellReport.ReasonChanged(lease.item(), detail);
        var away = new SchedulingRow.LeaseRow(lease.item(), lease.uid(), lease.attempt(), false, false);
        return new ItemAllocator.ItemResult(
                List.of(put, new Fact.Put(away)), List.of(new Output.RouterMessage(report)), steps);
    }

    /** Whether an offer of the item is open. */
    static boolean isOffered(State state, ItemId item) {
        return state.lease(item).filter(SchedulingRow.LeaseRow::isOffered).isPresent();
    }

    /**
     * Offers a returned item that fits.
     *
     * <p>If the offers are used up, the item has its turn when one of them ends. An item that is not woken by capacity,
     * such as one waiting for a class, is offered in any case.
     */
    static ItemAllocator.ItemResult offer(State state, SchedulingRow.ItemRow row, long steps) {
        boolean hasItsTurn = row.reason()
                .filter(reason -> reason.retryTrigger().isTriggeredBy(Reason.RetryTrigger.CAPACITY))
                .isPresent();
        if (hasItsTurn && state.offeredItems().size() >= offersMax(state)) {
            return new ItemAllocator.ItemResult(List.of(), List.of(), steps);
        }
        SchedulingRow.LeaseRow lease = state.lease(row.item()).orElseThrow();
        var offered = new SchedulingRow.LeaseRow(row.item(), lease.uid(), lease.attempt(), false, true);
        return new ItemAllocator.ItemResult(
                List.of(new Fact.Put(offered)),
                List.of(new Output.RouterMessage(new CellReport.OfferMade(row.item()))),
                steps);
    }

    /**
     * The maximum number of useful open offers.
     *
     * <p>One per free device, plus one per other cell that may have offered the same item. With no free device, items
     * share devices, so only the configured maximum counts.
     */
    private static long offersMax(State state) {
        long most = state.identity().offersMax();
        return state.freeDevices() == 0
                ? most
                : Math.min(most, state.freeDevices() + state.identity().cells() - 1);
    }

    /** Whether an open offer ends with this fact. */
    static boolean hasOfferEnded(@Nullable Row before, Fact fact) {
        return before instanceof SchedulingRow.LeaseRow lease
                && lease.isOffered()
                && !(fact instanceof Fact.Put(SchedulingRow.LeaseRow after) && after.isOffered());
    }

    /** Drops a returned item whose claims were allocated elsewhere. */
    static ItemAllocator.ItemResult end(State state, SchedulingRow.ItemRow row) {
        SchedulingRow.LeaseRow lease = state.lease(row.item()).orElseThrow();
        return new ItemAllocator.ItemResult(
                List.of(new Fact.Drop(row.key()), new Fact.Drop(lease.key())), List.of(), 0);
    }

    /** The report to the router that all claims of an item are allocated. */
    static Optional<Output> reportAllocated(State state, ItemId item, long number, List<String> claims) {
        return state.lease(item)
                .map(lease ->
                        new Output.RouterMessage(new CellReport.ItemAllocated(item, lease.attempt(), number, claims)));
    }
}

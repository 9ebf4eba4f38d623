package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.DeviceUsage;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One of several cells, with the rules for leased items.
 *
 * <p>An item is allocated only while the router leases it to this cell. An item that does not fit is returned at once.
 * It stays in the queue and is offered to the router when it fits.
 */
final class RoutedCell implements CellCoordination {
    private final State state;
    private final CellIdentity identity;

    RoutedCell(State state, CellIdentity identity) {
        this.state = state;
        this.identity = identity;
    }

    @Override
    public boolean observesWholeCluster() {
        return false;
    }

    /** An unknown pool may belong to another cell, unless this cell has allocated devices of it. */
    @Override
    public boolean ownsDeletedPool(List<DeviceUsage.UsageEntry> holders) {
        return holders.stream()
                .anyMatch(holder -> state.decidedAllocation(holder.uid()).isPresent());
    }

    @Override
    public boolean mayBeOfOtherCell(Observation.CommitOutcome outcome) {
        return state.decidedAllocation(outcome.claimUid()).isEmpty();
    }

    @Override
    public long nextDecision(long number) {
        return identity.nextDecision(number);
    }

    // ---- leased items
    // -------------------------------------------------------------------------------------------------------

    @Override
    public boolean isAssigned(ItemId item, String uid) {
        return state.lease(item).filter(lease -> lease.uid().equals(uid)).isPresent();
    }

    @Override
    public boolean isOffered(ItemId item) {
        return state.lease(item).filter(SchedulingRow.LeaseRow::hasOpenOffer).isPresent();
    }

    /**
     * A leased item is reported, and a returned one after its search with the larger budget: it had no report before.
     */
    @Override
    public boolean isReportDue(SchedulingRow.ItemRow row) {
        boolean isAfterThoroughSearch = row.thorough()
                && state.item(row.item()).filter(before -> !before.thorough()).isPresent();
        return isAfterThoroughSearch
                || state.lease(row.item())
                        .filter(SchedulingRow.LeaseRow::isActive)
                        .isPresent();
    }

    /**
     * Returns a pending item to the router, or reports its new reason.
     *
     * <p>No report if an object is missing: the router knows that. An item is returned only after its search with the
     * larger budget.
     *
     * <p>Two kinds of items stay leased while their search continues in slices. A pod with claims that may be
     * deallocated: the router decides only after a result of each cell. An item that this cell has offered: it would be
     * offered again. Meanwhile this cell explains the item: only the holder of the lease knows that its outputs precede
     * its decision. A search of one slice is not explained, because the same search may follow in each cell.
     */
    @Override
    public Optional<ItemResult> reportPending(
            SchedulingRow.ItemRow row, Explanation.ExplanationDetail.Pending detail, long steps) {
        SchedulingRow.LeaseRow lease = state.lease(row.item()).orElseThrow();
        var put = new Fact.Put(row);
        Optional<WorkItemAssembly.Ready> ready = ready(row.item());
        List<String> deallocatable = deallocatable(row.item(), ready);
        boolean isKept = lease.isActive() && (lease.isOffered() || !deallocatable.isEmpty());
        boolean isUnfinished = detail.diagnosis().reason() == Reason.EvaluationPending;
        boolean isBeforeThoroughSearch = detail.diagnosis().reason() == Reason.SearchBudgetExhausted && !row.thorough();
        if (isKept && isUnfinished && awaitsThoroughSearch(row.item())) {
            return Optional.of(explainedBeforeThoroughSearch(row.item(), ready, steps));
        }
        boolean isFirstSlice = isUnfinished && !isEvaluationPending(row.item()) && !hasSeveralSlices(row.item());
        if (isKept && (isBeforeThoroughSearch || (isUnfinished && !isFirstSlice))) {
            return Optional.of(explained(row, ready, detail, steps));
        }
        if (isBeforeThoroughSearch || (isKept && isUnfinished) || (!lease.isActive() && ready.isEmpty())) {
            return Optional.of(new ItemResult(List.of(put), List.of(), steps));
        }
        CellReport report = lease.isActive()
                ? new CellReport.ItemReturned(
                        lease.item(), lease.attempt(), state.count().decisions(), detail, deallocatable)
                : new CellReport.ReasonChanged(lease.item(), detail);
        return Optional.of(new ItemResult(
                List.of(put, new Fact.Put(lease.returned())), List.of(new Output.RouterMessage(report)), steps));
    }

    /** Whether the lease stays while the work continues in slices, and the reason of the row says that it does. */
    @Override
    public boolean isReportedUnfinished(SchedulingRow.ItemRow row) {
        return state.lease(row.item())
                        .filter(SchedulingRow.LeaseRow::isActive)
                        .filter(lease -> lease.isOffered()
                                || !deallocatable(row.item(), ready(row.item())).isEmpty())
                        .isPresent()
                && (row.reason().filter(Reason.EvaluationPending::equals).isPresent()
                        || awaitsThoroughSearch(row.item()));
    }

    /** The result of an item that this cell explains itself, without a decision: the router would not know its number. */
    private static ItemResult explained(
            SchedulingRow.ItemRow row,
            Optional<WorkItemAssembly.Ready> ready,
            Explanation.ExplanationDetail.Pending detail,
            long steps) {
        List<ObjectKey> claims =
                ready.map(WorkItemAssembly.Ready::unallocatedKeys).orElse(List.of());
        return new ItemResult(
                List.of(new Fact.Put(row)),
                List.of(
                        new Output.ItemExplained(new Explanation(row.item(), claims, steps, detail)),
                        new Output.RouterMessage(new CellReport.ReasonChanged(row.item(), detail))),
                steps);
    }

    /**
     * The result of an item whose next slice starts with the larger search budget. The router may not know that: the lease
     * may be newer than the search.
     */
    private ItemResult explainedBeforeThoroughSearch(ItemId item, Optional<WorkItemAssembly.Ready> ready, long steps) {
        SchedulingRow.ItemRow row = state.item(item).orElseThrow();
        PendingText text = PendingText.of(
                new AllocationPlan.PendingDiagnosis(Reason.SearchBudgetExhausted, row.message(), Optional.empty()));
        return explained(row.pending(text.detail(), text.hash()), ready, text.detail(), steps);
    }

    private List<String> deallocatable(ItemId item, Optional<WorkItemAssembly.Ready> ready) {
        return ready.map(each -> DeallocationCandidates.of(state, item, each).uids())
                .orElse(List.of());
    }

    /** Whether the search has had more than one slice, possibly before the lease. */
    private boolean hasSeveralSlices(ItemId item) {
        return state.work(item).filter(work -> work.slices() > 1).isPresent();
    }

    private boolean isEvaluationPending(ItemId item) {
        return state.item(item)
                .flatMap(SchedulingRow.ItemRow::reason)
                .filter(Reason.EvaluationPending::equals)
                .isPresent();
    }

    /** Whether the next slice starts with the larger search budget. The reason of the row says so, so it stays. */
    private boolean awaitsThoroughSearch(ItemId item) {
        return state.item(item)
                .filter(row -> row.reason().equals(Optional.of(Reason.SearchBudgetExhausted)) && !row.thorough())
                .isPresent();
    }

    private Optional<WorkItemAssembly.Ready> ready(ItemId item) {
        return WorkItemAssembly.of(state, item) instanceof WorkItemAssembly.Ready ready
                ? Optional.of(ready)
                : Optional.empty();
    }

    /**
     * Offers a returned item that fits.
     *
     * <p>If the offers are used up, the item has its turn when one of them ends. An item that is not triggered by
     * capacity, such as one that is pending for a missing class, is offered in any case.
     */
    @Override
    public Optional<ItemResult> offer(SchedulingRow.ItemRow row, long steps) {
        return offer(row, steps, false);
    }

    private Optional<ItemResult> offer(SchedulingRow.ItemRow row, long steps, boolean deallocates) {
        if (!state.isReturned(row.item())) {
            return Optional.empty();
        }
        boolean hasItsTurn = row.reason()
                .filter(reason -> reason.retryTrigger().isTriggeredBy(Reason.RetryTrigger.CAPACITY))
                .isPresent();
        if (hasItsTurn && state.offeredItems().size() >= offersMax()) {
            return Optional.of(new ItemResult(List.of(), List.of(), steps));
        }
        SchedulingRow.LeaseRow lease = state.lease(row.item()).orElseThrow();
        return Optional.of(new ItemResult(
                List.of(new Fact.Put(lease.offered())),
                List.of(new Output.RouterMessage(new CellReport.OfferMade(row.item(), deallocates))),
                steps));
    }

    /**
     * The maximum number of useful open offers.
     *
     * <p>One per free device, plus one per other cell that may have offered the same item. With no free device, items
     * share devices, so only the configured maximum counts.
     */
    private long offersMax() {
        long most = identity.offersMax();
        return state.freeDevices() == 0 ? most : Math.min(most, state.freeDevices() + identity.cells() - 1);
    }

    @Override
    public boolean mayDeallocate(ItemId item, String claimUid) {
        return state.lease(item)
                .filter(lease -> lease.deallocatable().contains(claimUid))
                .isPresent();
    }

    /** Reports a deallocation while the item is leased, and offers the item otherwise. */
    @Override
    public Optional<ItemResult> proposeDeallocation(
            SchedulingRow.ItemRow row, List<Decision> decisions, Supplier<ItemResult> unplaced) {
        SchedulingRow.LeaseRow lease = state.lease(row.item()).orElseThrow();
        ItemResult pending = unplaced.get();
        List<Fact> facts = new ArrayList<>(pending.facts());
        facts.removeIf(fact -> fact instanceof Fact.Put(SchedulingRow.LeaseRow _));
        if (lease.isActive()) {
            facts.replaceAll(fact -> fact instanceof Fact.Put(SchedulingRow.ItemRow item)
                    ? new Fact.Put(item.withoutThoroughSearch())
                    : fact);
            facts.add(new Fact.Put(lease.proposed()));
            var report = new CellReport.DeallocationProposed(
                    lease.item(), lease.attempt(), state.count().decisions(), decisions);
            return Optional.of(new ItemResult(facts, List.of(new Output.RouterMessage(report)), pending.steps()));
        }
        ItemResult offer = offer(row, pending.steps(), true).orElse(ItemResult.NOTHING);
        if (offer.facts().isEmpty()) {
            return Optional.of(pending);
        }
        facts.addAll(offer.facts());
        List<Output> outputs = new ArrayList<>(pending.outputs());
        outputs.addAll(offer.outputs());
        return Optional.of(new ItemResult(facts, outputs, pending.steps()));
    }

    /**
     * Whether this cell may still place a returned item whose claims are allocated.
     *
     * <p>It may if it has allocated the claims or has their devices, or if the claims may be deallocated. Another cell
     * has allocated them otherwise.
     */
    @Override
    public boolean checksNode(ItemId item, WorkItemAssembly.Ready ready) {
        Optional<SchedulingRow.LeaseRow> lease = state.lease(item);
        return lease.filter(SchedulingRow.LeaseRow::isActive).isPresent()
                || hasAllocated(ready)
                || hasDevices(ready)
                || DeallocationCandidates.of(state, item, ready).uids().stream()
                        .anyMatch(uid -> mayDeallocate(item, uid));
    }

    private boolean hasAllocated(WorkItemAssembly.Ready ready) {
        return ready.allocated().stream()
                .anyMatch(claim -> state.decidedAllocation(claim.meta().uid()).isPresent());
    }

    private boolean hasDevices(WorkItemAssembly.Ready ready) {
        return ready.allocated().stream()
                .flatMap(claim -> state.allocation(claim).stream())
                .flatMap(allocation -> ClaimDevices.devicesOf(allocation).stream())
                .anyMatch(device -> state.inventory().slices().isKnown(device.poolId()));
    }

    /** Drops a returned item whose claims were allocated elsewhere. */
    @Override
    public Optional<ItemResult> endReturned(SchedulingRow.ItemRow row) {
        return state.lease(row.item())
                .filter(lease -> !lease.isActive())
                .map(lease ->
                        new ItemResult(List.of(new Fact.Drop(row.key()), new Fact.Drop(lease.key())), List.of(), 0));
    }

    @Override
    public Optional<Output> reportAllocated(ItemId item, long number, List<String> claims) {
        return state.lease(item)
                .map(lease ->
                        new Output.RouterMessage(new CellReport.ItemAllocated(item, lease.attempt(), number, claims)));
    }

    @Override
    public ItemResult endDeleted(ItemId item) {
        return state.lease(item)
                .map(lease -> new ItemResult(
                        List.of(new Fact.Drop(lease.key())),
                        lease.isActive()
                                ? List.of(new Output.RouterMessage(new CellReport.ItemDeleted(item, lease.attempt())))
                                : List.of(),
                        0))
                .orElse(ItemResult.NOTHING);
    }

    @Override
    public boolean endsOffer(@Nullable Row before, Fact fact) {
        return before instanceof SchedulingRow.LeaseRow lease
                && lease.hasOpenOffer()
                && !(fact instanceof Fact.Put(SchedulingRow.LeaseRow after) && after.hasOpenOffer());
    }

    // ---- commands of the router
    // ------------------------------------------------------------------------------------------

    @Override
    public void assign(Observation.ItemAssigned assigned, StateChange change) {
        new RouterCommands(state, change).assign(assigned);
    }

    @Override
    public void decline(Observation.OfferDeclined declined, StateChange change) {
        new RouterCommands(state, change).decline(declined);
    }

    @Override
    public void transferNode(Observation.NodeHandover handover, StateChange change) {
        new RouterCommands(state, change).transferNode(handover);
    }

    // ---- outputs: the router writes those that concern all cells
    // -----------------------------------------------------------

    @Override
    public List<Output> claimDeleted(String claimUid) {
        return List.of();
    }

    @Override
    public List<Output> allocationReleased(String claimUid) {
        return List.of(new Output.RouterMessage(new CellReport.ClaimReleased(claimUid)));
    }

    @Override
    public List<Output> itemsDeleted(Collection<ItemId> items) {
        return List.of();
    }

    @Override
    public List<Output> textsRefreshed(Instant beganAt, List<ItemId> except) {
        return List.of();
    }

    @Override
    public Output probeAnswer(String probe, int allocated, int pending) {
        return new Output.RouterMessage(new CellReport.ProbeEcho(probe));
    }

    /** The router reports ignored observations, except for commit outcomes. */
    @Override
    public boolean reportsIgnored(Observation observation) {
        return observation instanceof Observation.CommitOutcome;
    }
}

package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.CellReport;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.solver.Reason;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Processes the reports of cells on assigned items: allocated, returned, deleted, reason changed and offers. */
final class CellReports {
    private final RouterStepBuilder step;
    private final RouterState state;
    private final ItemDispatcher dispatcher;
    private final ProposedDeallocations deallocations;
    private final UnfinishedSearches searches;

    CellReports(RouterStepBuilder step, ItemDispatcher dispatcher) {
        this.step = step;
        this.state = step.state;
        this.dispatcher = dispatcher;
        this.deallocations = new ProposedDeallocations(step, dispatcher);
        this.searches = new UnfinishedSearches(step, dispatcher);
    }

    /**
     * Applies a report on an item and declines the offers that it makes obsolete. A declined cell can offer other items.
     *
     * @param offering the cells that offer the item in this report
     */
    private void apply(ItemId item, List<Integer> offering, Runnable change) {
        Optional<RouterRow.ItemLocationRow> before = state.item(item);
        SortedSet<Integer> open = new TreeSet<>(offering);
        if (before.map(RouterRow.ItemLocationRow::location).orElse(null)
                instanceof RouterRow.ItemLocation.AssignedToCell sent) {
            open.addAll(sent.offers());
        }
        change.run();
        switch (state.item(item)
                .map(RouterRow.ItemLocationRow::location)
                .orElse(new RouterRow.ItemLocation.AtRouter(false))) {
            case RouterRow.ItemLocation.AtRouter here -> {}
            case RouterRow.ItemLocation.AssignedToCell sent -> {
                open.removeAll(sent.offers());
                open.remove(sent.cell());
            }
            case RouterRow.ItemLocation.AllocatedInCell allocated -> open.remove(allocated.cell());
        }
        before.ifPresent(row -> open.forEach(
                cell -> step.send(CellPlacement.only(cell), new Observation.OfferDeclined(item, row.uid()))));
    }

    /** Ends the deleted claims of an item that has left its cell: no decision on them can follow. */
    private void settle(RouterRow.ItemLocationRow row) {
        step.put(row.withoutDeletedClaims());
        row.ended().forEach(dispatcher::emitEndIfSettled);
    }

    /** Retries the items that an item has blocked, or kept in its cell, until it left the cell. */
    private void retryUsers(RouterRow.ItemLocationRow released) {
        if (released.location() instanceof RouterRow.ItemLocation.AllocatedInCell) {
            dispatcher.retryUsers(released.claims());
        } else {
            dispatcher.retryBlocked(released.claims());
        }
    }

    void onItemAllocated(int cell, CellReport.ItemAllocated allocated) {
        apply(allocated.item(), List.of(), () -> applyItemAllocated(cell, allocated));
    }

    private void applyItemAllocated(int cell, CellReport.ItemAllocated allocated) {
        step.advanceDecisions(allocated.number());
        for (String uid : allocated.claims()) {
            if (state.bound(uid).isEmpty()) {
                step.put(new RouterRow.BoundClaimRow(uid, cell, allocated.item()));
            }
        }
        assignedRow(cell, allocated.item(), allocated.attempt()).ifPresent(row -> {
            step.put(row.withAllocation(new RouterRow.ItemLocation.AllocatedInCell(cell, allocated.attempt())));
            dispatcher.retryBlocked(row.claims());
        });
    }

    void onItemReturned(int cell, CellReport.ItemReturned returned) {
        apply(returned.item(), List.of(), () -> applyItemReturned(cell, returned));
    }

    private void applyItemReturned(int cell, CellReport.ItemReturned returned) {
        step.advanceDecisions(returned.number());
        assignedRow(cell, returned.item(), returned.attempt()).ifPresent(row -> {
            settle(row);
            SortedMap<Integer, Explanation.ExplanationDetail.Pending> reasons = new TreeMap<>(row.reasons());
            reasons.put(cell, returned.pending());
            RouterRow.ItemLocationRow here = row.atRouter(false).withReasons(reasons);
            step.put(here);
            redispatch(here, row.location(), cell, returned);
            retryUsers(row);
        });
    }

    private void redispatch(
            RouterRow.ItemLocationRow row, RouterRow.ItemLocation was, int cell, CellReport.ItemReturned report) {
        // A cell that had allocated the item may have dropped it based on older state than the router's.
        if (!(was instanceof RouterRow.ItemLocation.AssignedToCell sent) || sent.hasChanged() || !isCurrent(row)) {
            dispatcher.reconcile(row.item());
            return;
        }
        Reason reason = report.pending().diagnosis().reason();
        if (!mayDifferByCell(reason)) {
            dispatcher.keepPending(row, state.readiness(row.item()).claims(), report.pending());
            return;
        }
        // A pod with a lost device runs nowhere without a deallocation, even if other cells do not know of the loss.
        SortedSet<Integer> returned = reason == Reason.DeviceNotPublished ? state.allCells() : CellPlacement.only(cell);
        DispatchRound round =
                DispatchRound.after(sent, sent.deallocatable().isEmpty() ? returned : CellPlacement.only(cell));
        boolean isUnfinished = row.reasons().values().stream().anyMatch(CellReports::isUnfinished);
        dispatcher.dispatch(
                row, round, isUnfinished ? List.of() : deallocations.permittedClaims(row, report.deallocatable()));
    }

    private static boolean isUnfinished(Explanation.ExplanationDetail.Pending pending) {
        return pending.diagnosis().reason() == Reason.EvaluationPending;
    }

    private boolean isCurrent(RouterRow.ItemLocationRow row) {
        return dispatcher
                .specOf(row.item())
                .filter(wanted -> wanted.uid().equals(row.uid()))
                .isPresent();
    }

    /** Returns whether another cell may reach a different result. */
    static boolean mayDifferByCell(Reason reason) {
        return switch (reason.retryTrigger()) {
            case CAPACITY, CLASSES, NODE_RESOURCES, PODS, WORK -> true;
            case SOURCES, CLAIMS, CONSUMERS, NAMESPACES, ANY -> false; // gangs exist only with a single cell
        };
    }

    void onDeallocationProposed(int cell, CellReport.DeallocationProposed proposed) {
        apply(proposed.item(), List.of(), () -> applyDeallocationProposed(cell, proposed));
    }

    private void applyDeallocationProposed(int cell, CellReport.DeallocationProposed proposed) {
        step.advanceDecisions(proposed.number());
        assignedRow(cell, proposed.item(), proposed.attempt()).ifPresent(row -> {
            settle(row);
            RouterRow.ItemLocationRow here = row.atRouter(false);
            step.put(here);
            decide(here, row.location(), cell, proposed);
            dispatcher.retryBlocked(row.claims());
        });
    }

    private void decide(
            RouterRow.ItemLocationRow row,
            RouterRow.ItemLocation was,
            int cell,
            CellReport.DeallocationProposed proposed) {
        if (!(was instanceof RouterRow.ItemLocation.AssignedToCell sent)
                || sent.hasChanged()
                || !isCurrent(row)
                || !state.clusterState().isSynced()) {
            dispatcher.reconcile(row.item());
        } else if (!sent.offers().isEmpty()) {
            dispatcher.dispatch(row, DispatchRound.offeredBy(sent.offers())); // the item may fit beside all allocations
        } else if (!deallocations.decide(row, proposed)) {
            dispatcher.dispatch(row, DispatchRound.after(sent, CellPlacement.only(cell)));
        }
    }

    void onItemDeleted(int cell, CellReport.ItemDeleted dropped) {
        apply(dropped.item(), List.of(), () -> applyItemDeleted(cell, dropped));
    }

    private void applyItemDeleted(int cell, CellReport.ItemDeleted dropped) {
        assignedRow(cell, dropped.item(), dropped.attempt()).ifPresent(row -> {
            settle(row);
            step.delete(row.key());
            if (dispatcher.specOf(row.item()).isPresent()) {
                dispatcher.reconcile(row.item());
            }
            retryUsers(row);
        });
    }

    void onReasonChanged(int cell, CellReport.ReasonChanged reasoned) {
        state.item(reasoned.item())
                .filter(row -> !searches.record(row, cell, reasoned))
                .ifPresent(row -> {
                    SortedMap<Integer, Explanation.ExplanationDetail.Pending> reasons = new TreeMap<>(row.reasons());
                    reasons.put(cell, reasoned.pending());
                    RouterRow.ItemLocationRow now = row.withReasons(reasons);
                    boolean isCellsBusiness =
                            row.reason().filter(CellReports::mayDifferByCell).isPresent();
                    if (row.location() instanceof RouterRow.ItemLocation.AtRouter here
                            && !here.blocked()
                            && isCellsBusiness) {
                        dispatcher.keepPending(now, state.readiness(row.item()).claims(), reasons);
                    } else if (!(row.location() instanceof RouterRow.ItemLocation.AllocatedInCell)) {
                        step.put(now);
                    }
                });
    }

    void onOfferMade(int cell, CellReport.OfferMade offer) {
        apply(offer.item(), List.of(cell), () -> applyOfferMade(cell, offer));
    }

    private void applyOfferMade(int cell, CellReport.OfferMade offer) {
        state.item(offer.item()).ifPresent(row -> {
            switch (row.location()) {
                case RouterRow.ItemLocation.AtRouter here ->
                    dispatcher.dispatch(
                            row,
                            offer.deallocates()
                                    ? DispatchRound.offeredBy(CellPlacement.only(cell))
                                    : DispatchRound.only(cell, state.allCells()));
                case RouterRow.ItemLocation.AssignedToCell sent ->
                    step.put(row.withAssignment(sent.withOffer(cell), row.claims()));
                case RouterRow.ItemLocation.AllocatedInCell allocated -> {}
            }
        });
    }

    /** Removes the binding of a claim to the cell that released it, and retries the items that use the claim. */
    void onClaimReleased(int cell, String uid) {
        Optional<RouterRow.BoundClaimRow> bound = state.bound(uid).filter(row -> row.cell() == cell);
        if (bound.isEmpty()) {
            return;
        }
        step.delete(bound.get().key());
        state.clusterState()
                .claimWithUid(uid)
                .ifPresentOrElse(
                        key -> state.clusterState().itemsOf(key).stream()
                                .filter(item -> state.item(item)
                                        .filter(row -> row.location() instanceof RouterRow.ItemLocation.AtRouter)
                                        .isPresent())
                                .forEach(item ->
                                        dispatcher.retry(state.item(item).orElseThrow())),
                        () -> dispatcher.emitEndIfSettled(uid));
    }

    /** Retries the pending pods that are bound to a moved node. Only the former cell of the node was asked for them. */
    void onNodeTransferred(String node) {
        state.pending().values().stream()
                .filter(item -> state.clusterState().isBoundTo(item, node))
                .toList()
                .forEach(item -> state.item(item).ifPresent(dispatcher::retry));
    }

    private Optional<RouterRow.ItemLocationRow> assignedRow(int cell, ItemId item, long attempt) {
        return state.item(item).filter(row -> switch (row.location()) {
            case RouterRow.ItemLocation.AtRouter here -> false;
            case RouterRow.ItemLocation.AssignedToCell sent -> sent.cell() == cell && sent.attempt() == attempt;
            case RouterRow.ItemLocation.AllocatedInCell allocated ->
                allocated.cell() == cell && allocated.attempt() == attempt;
        });
    }
}

package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.ObjectIndex;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.cell.Rank;
import dev.claimstream.allocation.cell.WorkItems;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Dispatches items to cells, one cell at a time, until a cell allocates them.
 *
 * <p>An item that no cell can allocate is pending at the router. Two items with a common claim are never undecided in cells at the same
 * time; after the first is decided, the second follows it to the same cell.
 */
final class ItemDispatcher {
    private static final String NOT_SYNCED = "not every source is synced";
    private static final String NOT_FIRST = "not evaluated yet: other items are first in the queue";

    private final RouterStepBuilder step;
    private final RouterState state;
    private final ClaimFanout fanout;
    private final CandidateCells candidateCells;
    private final SortedSet<ItemId> changedItems = new TreeSet<>();

    ItemDispatcher(RouterStepBuilder step, ClaimFanout fanout) {
        this.step = step;
        this.fanout = fanout;
        this.state = step.state;
        candidateCells = new CandidateCells(state);
    }

    // ---- changes of objects

    /** Reconciles an item after its pod or claim has changed. */
    void reconcile(ItemId item) {
        changedItems.add(item);
        Optional<RouterRow.ItemLocationRow> known = state.item(item);
        if (known.isPresent() && !(known.get().location() instanceof RouterRow.ItemLocation.AtRouter)) {
            known.map(RouterRow.ItemLocationRow::location)
                    .filter(RouterRow.ItemLocation.AssignedToCell.class::isInstance)
                    .map(RouterRow.ItemLocation.AssignedToCell.class::cast)
                    .ifPresent(sent -> step.put(known.get()
                            .withAssignment(sent.withChange(), known.get().claims())));
            return;
        }
        Optional<WorkItems.WorkItemSpec> wanted = specOf(item);
        if (wanted.isEmpty()) {
            known.ifPresent(row -> step.delete(row.key()));
            return;
        }
        boolean isNew =
                known.isEmpty() || !known.get().uid().equals(wanted.get().uid());
        RouterRow.ItemLocationRow row = RouterRow.ItemLocationRow.builder(
                        item, wanted.get().uid(), wanted.get().rank())
                .reason(isNew ? Optional.empty() : known.get().reason())
                .message(isNew ? "" : known.get().message())
                .build();
        step.put(row);
        dispatch(row, DispatchRound.FIRST);
    }

    void retryPending(Reason.RetryTrigger retryTrigger) {
        state.pendingFor(retryTrigger).forEach(item -> retry(state.item(item).orElseThrow()));
    }

    /** Discards the reasons of an item and dispatches it again. */
    void retry(RouterRow.ItemLocationRow row) {
        RouterRow.ItemLocationRow fresh = row.withReasons(new TreeMap<>());
        step.put(fresh);
        dispatch(fresh, DispatchRound.FIRST);
    }

    /**
     * Lets the items in a second round begin with the first. After a change of a class their claims may be unmanaged,
     * and the router stores no classes.
     */
    void discardProposals() {
        List.copyOf(state.assignedItems()).stream()
                .filter(item ->
                        state.item(item).orElseThrow().location() instanceof RouterRow.ItemLocation.AssignedToCell sent
                                && !sent.deallocatable().isEmpty())
                .forEach(this::reconcile);
    }

    /** Returns the specification of an item that should exist. */
    Optional<WorkItems.WorkItemSpec> specOf(ItemId item) {
        return state.clusterState().specOf(item, this::isBoundByOwnItem);
    }

    private boolean isBoundByOwnItem(ResourceClaim claim) {
        return state.bound(claim.meta().uid())
                .filter(bound -> bound.item().equals(ItemId.claim(claim.key())))
                .isPresent();
    }

    /**
     * Handles the deletion of a claim. Its final output follows only after all cells have released it and decided the items that use it.
     */
    void onClaimDeleted(String uid, ObjectKey claim) {
        for (ItemId item : List.copyOf(state.itemsInCells(claim))) {
            step.put(state.item(item).orElseThrow().ended(uid));
        }
        emitEndIfSettled(uid);
    }

    /** Emits the deletion of a claim, unless a cell can still make decisions on it. */
    void emitEndIfSettled(String uid) {
        if (state.bound(uid).isEmpty() && state.itemsWithDeletedClaim(uid).isEmpty()) {
            step.emit(new RouterOutput.PublicOutput(new Output.ClaimDeleted(uid)));
        }
    }

    // ---- dispatch

    /** Dispatches an item at the router to the next cell of a round, or keeps it pending. */
    void dispatch(RouterRow.ItemLocationRow row, DispatchRound round) {
        dispatch(row, round, List.of());
    }

    /**
     * Dispatches an item at the router to the next cell of a round or of the second round, or keeps it pending.
     *
     * @param deallocatable UIDs of the claims for a second round; empty for none
     */
    void dispatch(RouterRow.ItemLocationRow row, DispatchRound round, List<String> deallocatable) {
        ObjectIndex.ItemReadiness look = state.readiness(row.item());
        if (isLocked(row.item(), look)) {
            keepBlocked(row, look.claims());
            return;
        }
        switch (look) {
            case ObjectIndex.ItemReadiness.NotReady unready -> keepPending(row, unready.claims(), unready.diagnosis());
            case ObjectIndex.ItemReadiness.Ready ready -> {
                if (!state.clusterState().isSynced()) {
                    keepPending(
                            row,
                            ready.claims(),
                            new AllocationPlan.PendingDiagnosis(Reason.SourcesNotSynced, NOT_SYNCED, Optional.empty()));
                } else {
                    dispatch(row, ready, round, deallocatable);
                }
            }
        }
    }

    private void dispatch(
            RouterRow.ItemLocationRow row,
            ObjectIndex.ItemReadiness.Ready ready,
            DispatchRound round,
            List<String> deallocatable) {
        SortedSet<Integer> bound = candidateCells.bound(ready, round.deallocatable());
        if (bound.size() > 1) {
            keepPending(
                    row,
                    ready.claims(),
                    new AllocationPlan.PendingDiagnosis(
                            Reason.SpansCells,
                            "its claims are in cells %s, but its node can be in only one cell".formatted(bound),
                            Optional.empty()));
            return;
        }
        List<Integer> candidates = bound.isEmpty() ? candidateCells.all(ready, round) : new ArrayList<>(bound);
        candidates.removeAll(round.tried());
        candidates.sort(Comparator.comparing((Integer cell) -> !round.offers().contains(cell)));
        Optional<Integer> next = candidates.stream().findFirst();
        if (next.isPresent()) {
            assign(row, ready, round, next.get());
        } else if (round.isFirst() && !deallocatable.isEmpty()) {
            dispatch(row, ready, round.second(deallocatable), List.of());
        } else {
            keepPending(row, ready.claims(), row.reasons());
        }
    }

    private void assign(
            RouterRow.ItemLocationRow row, ObjectIndex.ItemReadiness.Ready ready, DispatchRound round, int cell) {
        long attempt = step.nextAttempt();
        candidateCells.freeDevicesWithout(cell, ready).ifPresent(step::put);
        step.put(row.withAssignment(
                new RouterRow.ItemLocation.AssignedToCell(
                        cell, attempt, round.tried(), round.otherOffers(cell), false, round.deallocatable(), false),
                ready.claims()));
        fanout.ensureRecipient(cell, ready.claims());
        step.send(
                CellPlacement.only(cell),
                new Observation.ItemAssigned(
                        row.item(), row.uid(), attempt, state.count().decisions(), round.deallocatable()));
    }

    /** Returns whether another item with a common claim is undecided in a cell. */
    private boolean isLocked(ItemId item, ObjectIndex.ItemReadiness look) {
        return lockers(item, look.claims()).findAny().isPresent();
    }

    /** Returns the other items with a common claim that are undecided in a cell. */
    private Stream<ItemId> lockers(ItemId item, List<ObjectKey> claims) {
        return claims.stream()
                .flatMap(claim -> state.itemsInCells(claim).stream())
                .filter(other -> !other.equals(item) && state.assignedItems().contains(other));
    }

    // ---- pending items

    /** Keeps an item pending with the merged reasons of the cells. */
    void keepPending(
            RouterRow.ItemLocationRow row,
            List<ObjectKey> claims,
            SortedMap<Integer, Explanation.ExplanationDetail.Pending> reasons) {
        keepPending(row, claims, reasons.isEmpty() ? noCellAvailable() : MergedReason.of(reasons));
    }

    /** Returns the reason for an item if its only possible cell cannot be asked now. */
    private static Explanation.ExplanationDetail.Pending noCellAvailable() {
        return new Explanation.ExplanationDetail.Pending(
                new AllocationPlan.PendingDiagnosis(Reason.NoUsableNode, "no cell is available now", Optional.empty()),
                List.of());
    }

    void keepPending(RouterRow.ItemLocationRow row, List<ObjectKey> claims, AllocationPlan.PendingDiagnosis diagnosis) {
        keepPending(row, claims, new Explanation.ExplanationDetail.Pending(diagnosis, List.of()));
    }

    /** Keeps an item pending, and emits the reason if it is new or the item has changed. */
    void keepPending(
            RouterRow.ItemLocationRow row, List<ObjectKey> claims, Explanation.ExplanationDetail.Pending pending) {
        publish(row.atRouter(false), claims, pending);
    }

    /** Keeps an item until an item with a common claim is decided. It gets a reason if that takes slices of work. */
    void keepBlocked(RouterRow.ItemLocationRow row, List<ObjectKey> claims) {
        boolean needsReason =
                row.reason().isEmpty() && lockers(row.item(), claims).anyMatch(state::isUnfinished);
        if (needsReason) {
            var diagnosis = new AllocationPlan.PendingDiagnosis(Reason.EvaluationPending, NOT_FIRST, Optional.empty());
            publish(row.atRouter(true), claims, new Explanation.ExplanationDetail.Pending(diagnosis, List.of()));
        } else {
            step.put(row.atRouter(true));
        }
    }

    private void publish(
            RouterRow.ItemLocationRow row, List<ObjectKey> claims, Explanation.ExplanationDetail.Pending pending) {
        Reason reason = pending.diagnosis().reason();
        boolean isPublished = row.reason().equals(Optional.of(reason)) && !changedItems.contains(row.item());
        step.put(row.withReason(reason, pending.diagnosis().message()));
        if (isPublished) {
            return;
        }
        changedItems.remove(row.item());
        List<ObjectKey> open = claims.stream().filter(this::isPending).toList();
        (open.isEmpty() && reason == Reason.Unmanaged ? unboundClaims(claims) : open)
                .forEach(claim -> emitPending(row.item(), claim, pending.diagnosis()));
        step.emit(
                new RouterOutput.PublicOutput(new Output.ItemExplained(new Explanation(row.item(), open, 0, pending))));
    }

    /** Returns whether a claim is unallocated, bound to no cell, and not used by an item in a cell. */
    private boolean isPending(ObjectKey key) {
        return state.clusterState().isUnallocated(key)
                && state.itemsInCells(key).isEmpty()
                && state.clusterState()
                        .claim(key)
                        .filter(claim -> state.bound(claim.meta().uid()).isEmpty())
                        .isPresent();
    }

    /**
     * Returns the claims that other allocators have allocated. A pod that has only such claims needs a decision, so that the writer
     * removes its scheduling gate.
     */
    private List<ObjectKey> unboundClaims(List<ObjectKey> claims) {
        return claims.stream()
                .filter(key -> state.clusterState()
                        .claim(key)
                        .filter(claim -> state.bound(claim.meta().uid()).isEmpty())
                        .isPresent())
                .toList();
    }

    private void emitPending(ItemId item, ObjectKey key, AllocationPlan.PendingDiagnosis diagnosis) {
        String uid = state.clusterState().claim(key).orElseThrow().meta().uid();
        step.emit(new RouterOutput.PublicOutput(new Output.DecisionMade(new Decision(
                key,
                uid,
                step.nextDecision(),
                item,
                new Decision.DecisionResult.Pending(diagnosis.reason(), diagnosis.message())))));
    }

    /** Dispatches the items that were blocked by items with these claims. */
    void retryBlocked(List<ObjectKey> claims) {
        retryUsers(claims, RouterRow.ItemLocation.AtRouter::blocked);
    }

    /**
     * Dispatches all items at the router that use these claims.
     *
     * <p>Needed after an allocated item has left its cell: an unallocated claim has kept the other items in that cell.
     */
    void retryUsers(List<ObjectKey> claims) {
        retryUsers(claims, _ -> true);
    }

    private void retryUsers(List<ObjectKey> claims, Predicate<RouterRow.ItemLocation.AtRouter> isRetried) {
        var pending = new TreeMap<Rank, RouterRow.ItemLocation.AtRouter>();
        for (ObjectKey claim : claims) {
            for (ItemId item : state.clusterState().itemsOf(claim)) {
                state.item(item).ifPresent(row -> {
                    if (row.location() instanceof RouterRow.ItemLocation.AtRouter here && isRetried.test(here)) {
                        pending.put(row.rank(), here);
                    }
                });
            }
        }
        pending.forEach((rank, here) -> {
            if (here.blocked()) {
                changedItems.add(rank.item());
            }
        });
        pending.keySet().forEach(rank -> state.item(rank.item()).ifPresent(this::retry));
    }
}

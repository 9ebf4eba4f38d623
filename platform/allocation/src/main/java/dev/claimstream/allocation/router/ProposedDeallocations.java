package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.CellReport;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectKey;
import java.util.List;
import java.util.Optional;

/**
 * Decides the deallocations that cells propose.
 *
 * <p>A cell finds a place for the item; only the router knows that no other cell has a pod with the claim. So the router
 * decides, gives the decision its number and keeps its row. Until the claim is observed without allocation, no item with
 * the claim is dispatched.
 */
final class ProposedDeallocations {
    private final RouterStepBuilder step;
    private final RouterState state;
    private final ItemDispatcher dispatcher;

    ProposedDeallocations(RouterStepBuilder step, ItemDispatcher dispatcher) {
        this.step = step;
        this.state = step.state;
        this.dispatcher = dispatcher;
    }

    /**
     * Returns which of these claims a second round may count as free.
     *
     * <p>They have no earlier deallocation, and no cell has allocated them for another pod.
     */
    List<String> permittedClaims(RouterRow.ItemLocationRow row, List<String> claimUids) {
        return claimUids.stream()
                .filter(uid -> state.clusterState().deallocation(uid).isEmpty())
                .filter(uid -> state.clusterState()
                        .claimWithUid(uid)
                        .filter(claim -> isWithoutOtherPod(row.item(), claim))
                        .isPresent())
                .toList();
    }

    /** Returns whether no cell has allocated the claim for another existing pod. */
    private boolean isWithoutOtherPod(ItemId item, ObjectKey claim) {
        return state.itemsInCells(claim).stream()
                .filter(other -> other.kind() == ItemId.ItemKind.POD && !other.equals(item))
                .noneMatch(other -> dispatcher.specOf(other).isPresent());
    }

    /**
     * Decides the deallocations of a proposal for an item at the router.
     *
     * @return false if one of them is not allowed any more; then nothing has changed
     */
    boolean decide(RouterRow.ItemLocationRow row, CellReport.DeallocationProposed proposed) {
        boolean isAllowed = proposed.decisions().stream().allMatch(decision -> isAllowed(row, decision));
        if (isAllowed) {
            proposed.decisions().forEach(decision -> decide(row.item(), decision));
            String message = deallocation(proposed.decisions().getFirst())
                    .map(Decision.DecisionResult.Deallocation::message)
                    .orElseThrow();
            dispatcher.keepPending(
                    row,
                    state.readiness(row.item()).claims(),
                    new AllocationPlan.PendingDiagnosis(Reason.Reallocating, message, Optional.empty()));
        }
        return isAllowed;
    }

    private boolean isAllowed(RouterRow.ItemLocationRow row, Decision decision) {
        return permittedClaims(row, List.of(decision.claimUid())).contains(decision.claimUid())
                && deallocation(decision)
                        .filter(result -> state.clusterState().mayDeallocate(decision, result, this::isPending))
                        .isPresent();
    }

    private boolean isPending(ItemId item) {
        return state.item(item)
                .map(RouterRow.ItemLocationRow::location)
                .filter(location -> !(location instanceof RouterRow.ItemLocation.AtRouter))
                .isEmpty();
    }

    private void decide(ItemId item, Decision proposed) {
        Decision.DecisionResult.Deallocation result = deallocation(proposed).orElseThrow();
        var decision = new Decision(proposed.claim(), proposed.claimUid(), step.nextDecision(), item, result);
        step.put(new RouterRow.ClusterStateRow(state.clusterState().rowOf(decision, result)));
        step.emit(new RouterOutput.PublicOutput(new Output.DecisionMade(decision)));
    }

    private static Optional<Decision.DecisionResult.Deallocation> deallocation(Decision decision) {
        return decision.result() instanceof Decision.DecisionResult.Deallocation result
                ? Optional.of(result)
                : Optional.empty();
    }
}

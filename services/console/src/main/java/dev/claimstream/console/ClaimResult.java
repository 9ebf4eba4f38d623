package dev.claimstream.console;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ResourceClaim;
import java.util.List;
import java.util.Optional;

/**
 * The result for one claim: its last decision and the explanation.
 *
 * @param claim as the cluster or the manifests contain it
 * @param decision last decision; empty if there is none, as for a claim that was allocated before and has no new consumer
 * @param explanation of the work item of the decision
 * @param time when the explanation of a pending claim was true; empty if the state does not change any more
 * @param unmanagedClasses the claim's classes if all of them are unmanaged, else empty
 * @param unevaluatedFields pod fields that may exclude nodes and that the decision does not evaluate
 */
public record ClaimResult(
        ResourceClaim claim,
        Optional<Decision> decision,
        Optional<Explanation> explanation,
        Optional<ExplanationTime> time,
        List<String> unmanagedClasses,
        List<String> unevaluatedFields) {
    public ClaimResult {
        unmanagedClasses = List.copyOf(unmanagedClasses);
        unevaluatedFields = List.copyOf(unevaluatedFields);
    }

    /** Creates the result of a managed claim. */
    public ClaimResult(ResourceClaim claim, Optional<Decision> decision, Optional<Explanation> explanation) {
        this(claim, decision, explanation, Optional.empty(), List.of(), List.of());
    }

    /** Creates the result of a claim in a cluster that does not change any more. */
    public ClaimResult(
            ResourceClaim claim,
            Optional<Decision> decision,
            Optional<Explanation> explanation,
            List<String> unevaluatedFields) {
        this(claim, decision, explanation, Optional.empty(), List.of(), unevaluatedFields);
    }

    /** Whether a claim or all claims of a pod are allocated. */
    public enum ResultState {
        ALLOCATED(ClaimStateText.ALLOCATED),
        PENDING(ClaimStateText.PENDING);

        private final String text;

        ResultState(String text) {
            this.text = text;
        }

        /** Returns the text in summaries, and of a pod in explanations and the REST API. */
        public String text() {
            return text;
        }
    }

    /** Returns whether the claim is allocated. A claim without a decision is pending. */
    public ResultState state() {
        return allocation().isPresent() ? ResultState.ALLOCATED : ResultState.PENDING;
    }

    /** Returns whether the claim has neither a decision nor an allocation, and is not being deleted. */
    boolean isUnprocessed() {
        return decision.isEmpty() && allocation().isEmpty() && !claim.meta().deleting();
    }

    /** Returns the state in tables and explanations, as {@link ClaimStateText} describes it. */
    public String stateText() {
        return ClaimStateText.of(
                claim.meta().deleting(),
                allocation().isPresent(),
                !reservedFor().isEmpty());
    }

    /** Returns the consumers of the claim: those of the decision that allocated it, else those of its status. */
    public List<ClaimConsumer> reservedFor() {
        return allocatedDecision()
                .map(Decision.DecisionResult.Allocated::reservedFor)
                .orElse(claim.reservedFor());
    }

    /** Returns the allocation: of the decision, else of the claim's status. */
    public Optional<Allocation> allocation() {
        return allocatedDecision()
                .map(Decision.DecisionResult.Allocated::allocation)
                .or(claim::allocation);
    }

    /** Returns the decision that allocated the claim. */
    public Optional<Decision.DecisionResult.Allocated> allocatedDecision() {
        return decision.map(Decision::result)
                .filter(Decision.DecisionResult.Allocated.class::isInstance)
                .map(Decision.DecisionResult.Allocated.class::cast);
    }

    /** Returns the decision that left the claim pending, with the current message. */
    public Optional<Decision.DecisionResult.Pending> pendingDecision() {
        return decision.map(Decision::result)
                .filter(Decision.DecisionResult.Pending.class::isInstance)
                .map(Decision.DecisionResult.Pending.class::cast)
                .map(pending -> withCurrentMessage(pending, explanation));
    }

    /**
     * Replaces the message of the decision by that of the explanation, if the reason is the same.
     * The explanation is refreshed while the reason stays. The decision is not.
     */
    static Decision.DecisionResult.Pending withCurrentMessage(
            Decision.DecisionResult.Pending pending, Optional<Explanation> explanation) {
        return explanation
                .map(Explanation::detail)
                .filter(Explanation.ExplanationDetail.Pending.class::isInstance)
                .map(because -> ((Explanation.ExplanationDetail.Pending) because).diagnosis())
                .filter(diagnosis -> diagnosis.reason() == pending.reason())
                .map(diagnosis -> new Decision.DecisionResult.Pending(diagnosis.reason(), diagnosis.message()))
                .orElse(pending);
    }

    /** Returns whether the claim was allocated before Claimstream read it. */
    public boolean hasPriorAllocation() {
        return claim.allocation().isPresent();
    }

    /** Returns whether the claim has an unmanaged allocation. */
    public boolean isUnmanagedAllocation() {
        return !unmanagedClasses.isEmpty() && allocation().isPresent();
    }

    /** Returns the node of the allocation, if it selects exactly one. */
    public Optional<String> node() {
        return allocation().flatMap(Allocation::nodeSelector).flatMap(selector -> selector.onlyNode());
    }
}

package dev.claimstream.console;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Allocation;
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
 * @param othersClasses the claim's classes if all of them are unmanaged, else empty
 * @param notLookedAt pod fields that may exclude nodes and that the decision does not evaluate
 */
public record Answer(
        ResourceClaim claim,
        Optional<Decision> decision,
        Optional<Explanation> explanation,
        Optional<TextTime> time,
        List<String> othersClasses,
        List<String> notLookedAt) {
    public Answer {
        othersClasses = List.copyOf(othersClasses);
        notLookedAt = List.copyOf(notLookedAt);
    }

    /** Creates the result of a managed claim. */
    public Answer(ResourceClaim claim, Optional<Decision> decision, Optional<Explanation> explanation) {
        this(claim, decision, explanation, Optional.empty(), List.of(), List.of());
    }

    /** Creates the result of a claim in a cluster that does not change any more. */
    public Answer(
            ResourceClaim claim,
            Optional<Decision> decision,
            Optional<Explanation> explanation,
            List<String> notLookedAt) {
        this(claim, decision, explanation, Optional.empty(), List.of(), notLookedAt);
    }

    /** The state of a claim in tables and JSON. */
    public enum State {
        GRANTED("granted"),
        WAITS("waits"),
        UNDECIDED("undecided");

        private final String text;

        State(String text) {
            this.text = text;
        }

        /** Returns the text of the state. */
        public String text() {
            return text;
        }
    }

    /** Returns the state. A claim without a decision is pending. */
    public State state() {
        if (allocation().isPresent()) {
            return State.GRANTED;
        }
        return waits().map(waits -> waits.reason() == Reason.Undecided).orElse(false) ? State.UNDECIDED : State.WAITS;
    }

    /** Returns the allocation: of the decision, else of the claim's status. */
    public Optional<Allocation> allocation() {
        return granted().map(Decision.Verdict.Granted::allocation).or(claim::allocation);
    }

    /** Returns the decision that allocated the claim. */
    public Optional<Decision.Verdict.Granted> granted() {
        return decision.map(Decision::verdict)
                .filter(Decision.Verdict.Granted.class::isInstance)
                .map(Decision.Verdict.Granted.class::cast);
    }

    /** Returns the decision that left the claim pending, with the current message. */
    public Optional<Decision.Verdict.Waits> waits() {
        return decision.map(Decision::verdict)
                .filter(Decision.Verdict.Waits.class::isInstance)
                .map(Decision.Verdict.Waits.class::cast)
                .map(waits -> inPresentWords(waits, explanation));
    }

    /**
     * Replaces the message of the decision by that of the explanation, if the reason is the same.
     * The explanation is refreshed while the reason stays. The decision is not.
     */
    static Decision.Verdict.Waits inPresentWords(Decision.Verdict.Waits waits, Optional<Explanation> explanation) {
        return explanation
                .map(Explanation::because)
                .filter(Explanation.Because.Waits.class::isInstance)
                .map(because -> ((Explanation.Because.Waits) because).diagnosis())
                .filter(diagnosis -> diagnosis.reason() == waits.reason())
                .map(diagnosis -> new Decision.Verdict.Waits(diagnosis.reason(), diagnosis.message()))
                .orElse(waits);
    }

    /** Returns whether the claim was allocated before Claimstream read it. */
    public boolean cameAllocated() {
        return claim.allocation().isPresent();
    }

    /** Returns whether the claim has an unmanaged allocation. */
    public boolean isOfOthers() {
        return !othersClasses.isEmpty() && allocation().isPresent();
    }

    /** Returns the node of the allocation, if it selects exactly one. */
    public Optional<String> node() {
        return allocation().flatMap(Allocation::nodeSelector).flatMap(selector -> selector.onlyNode());
    }
}

package dev.claimstream.console;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ResourceClaim;
import java.util.List;
import java.util.Optional;

/**
 * What became of one claim.
 *
 * @param claim as it came in
 * @param decision the last one; absent where the claim was allocated before and nobody new uses it
 * @param explanation of the item that it was decided with
 * @param time when that explanation was true, of a pending claim; absent where the state does not change any more
 * @param othersClasses its classes, where none of them is ours to allocate
 * @param notLookedAt what may keep its pod from nodes and is no part of the decision
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

    /** Of a claim that is ours to allocate. */
    public Answer(ResourceClaim claim, Optional<Decision> decision, Optional<Explanation> explanation) {
        this(claim, decision, explanation, Optional.empty(), List.of(), List.of());
    }

    /** Of a cluster that does not change any more. */
    public Answer(
            ResourceClaim claim,
            Optional<Decision> decision,
            Optional<Explanation> explanation,
            List<String> notLookedAt) {
        this(claim, decision, explanation, Optional.empty(), List.of(), notLookedAt);
    }

    /** How a claim stands, as the table names it. */
    public enum State {
        GRANTED("granted"),
        WAITS("waits"),
        UNDECIDED("undecided");

        private final String text;

        State(String text) {
            this.text = text;
        }

        /** The word. */
        public String text() {
            return text;
        }
    }

    /** How it stands; one that nobody has looked at yet waits. */
    public State state() {
        if (allocation().isPresent()) {
            return State.GRANTED;
        }
        return waits().map(waits -> waits.reason() == Reason.Undecided).orElse(false) ? State.UNDECIDED : State.WAITS;
    }

    /** What the claim has: ours, or what it came with. */
    public Optional<Allocation> allocation() {
        return granted().map(Decision.Verdict.Granted::allocation).or(claim::allocation);
    }

    /** What we gave. */
    public Optional<Decision.Verdict.Granted> granted() {
        return decision.map(Decision::verdict)
                .filter(Decision.Verdict.Granted.class::isInstance)
                .map(Decision.Verdict.Granted.class::cast);
    }

    /** Why it waits. */
    public Optional<Decision.Verdict.Waits> waits() {
        return decision.map(Decision::verdict)
                .filter(Decision.Verdict.Waits.class::isInstance)
                .map(Decision.Verdict.Waits.class::cast)
                .map(waits -> inPresentWords(waits, explanation));
    }

    /** The explanation is renewed while the reason stands, the decision is not. */
    static Decision.Verdict.Waits inPresentWords(Decision.Verdict.Waits waits, Optional<Explanation> explanation) {
        return explanation
                .map(Explanation::because)
                .filter(Explanation.Because.Waits.class::isInstance)
                .map(because -> ((Explanation.Because.Waits) because).diagnosis())
                .filter(diagnosis -> diagnosis.reason() == waits.reason())
                .map(diagnosis -> new Decision.Verdict.Waits(diagnosis.reason(), diagnosis.message()))
                .orElse(waits);
    }

    /** Whether it held its devices before. */
    public boolean cameAllocated() {
        return claim.allocation().isPresent();
    }

    /** Whether it has devices that others gave. */
    public boolean isOfOthers() {
        return !othersClasses.isEmpty() && allocation().isPresent();
    }

    /** The node that the allocation pins the claim to, if it does. */
    public Optional<String> node() {
        return allocation().flatMap(Allocation::nodeSelector).flatMap(selector -> selector.onlyNode());
    }
}

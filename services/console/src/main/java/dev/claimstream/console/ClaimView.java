package dev.claimstream.console;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.Consumer;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.ResourceClaim;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A claim with its last decision, explanation and commit outcome.
 *
 * @param claim as the cluster contains it
 * @param decided last decision
 * @param explanation of the work item of the decision
 * @param time when the explanation was true
 * @param outcome commit outcome of the last decision
 * @param othersClasses the claim's classes if all of them are unmanaged, else empty
 * @param notLookedAt pod fields that may exclude nodes and that the decision does not evaluate
 */
public record ClaimView(
        ResourceClaim claim,
        Optional<Decided> decided,
        Optional<Explanation> explanation,
        Optional<TextTime> time,
        Optional<Outcome> outcome,
        List<String> othersClasses,
        List<String> notLookedAt) {
    public ClaimView {
        othersClasses = List.copyOf(othersClasses);
        notLookedAt = List.copyOf(notLookedAt);
    }

    /**
     * A decision.
     *
     * @param at timestamp of the input that led to the decision
     */
    public record Decided(Decision decision, Instant at) {}

    /**
     * The commit outcome of a decision, as the writer reports it.
     *
     * @param number of the decision
     * @param text committed, refused, conflict, gone or failed
     */
    public record Outcome(long number, String text, String message) {}

    /** The state of a claim. */
    public enum State {
        /** The claim has an allocation. */
        GRANTED("granted"),
        /** The claim has no allocation, for a reason that may change. */
        WAITS("waits"),
        /** The search budget was exhausted before a result. */
        UNDECIDED("undecided"),
        /** No decision on the claim exists yet. */
        PENDING("pending");

        private final String text;

        State(String text) {
            this.text = text;
        }

        /** Returns the text of the state. */
        public String text() {
            return text;
        }
    }

    /** Returns namespace and name of the claim. */
    public ObjectKey key() {
        return claim.key();
    }

    /** Returns the state. */
    public State state() {
        if (allocation().isPresent()) {
            return State.GRANTED;
        }
        return waits().map(waits -> waits.reason() == Reason.Undecided ? State.UNDECIDED : State.WAITS)
                .orElse(State.PENDING);
    }

    /** Returns the allocation: of the decision, else of the claim's status. */
    public Optional<Allocation> allocation() {
        return granted().map(Decision.Verdict.Granted::allocation).or(claim::allocation);
    }

    /** Returns whether the claim has an unmanaged allocation. */
    public boolean isOfOthers() {
        return !othersClasses.isEmpty() && allocation().isPresent();
    }

    /** Returns the consumers of the claim. */
    public List<Consumer> reservedFor() {
        return granted().map(Decision.Verdict.Granted::reservedFor).orElse(claim.reservedFor());
    }

    /**
     * Returns the pods that the claim is reserved for: of the status if it has an allocation, else of the decision.
     * For a pending claim it returns the pod that the claim is pending for, if known. Other consumers have their resource before the
     * name.
     */
    public List<String> pods() {
        List<Consumer> consumers = isAllocatedThere() ? claim.reservedFor() : reservedFor();
        return consumers.isEmpty() && !isAllocatedThere()
                ? waiting().stream().toList()
                : consumers.stream().map(ClaimView::shown).toList();
    }

    private boolean isAllocatedThere() {
        return claim.allocation().isPresent();
    }

    private static String shown(Consumer consumer) {
        return consumer.resource().equals("pods") ? consumer.name() : consumer.resource() + "/" + consumer.name();
    }

    private Optional<String> waiting() {
        return decided.filter(_ -> waits().isPresent())
                .map(each -> each.decision().item())
                .filter(item -> item.sort() == ItemId.Sort.POD)
                .map(item -> item.key().name())
                .or(() -> claim.meta()
                        .controller()
                        .filter(each -> each.kind().equals("Pod"))
                        .map(Owner::name));
    }

    /** Returns the decision that allocated the claim. */
    public Optional<Decision.Verdict.Granted> granted() {
        return verdict(Decision.Verdict.Granted.class);
    }

    /** Returns the decision that left the claim pending. An allocation in the status is newer than such a decision. */
    public Optional<Decision.Verdict.Waits> waits() {
        return verdict(Decision.Verdict.Waits.class)
                .filter(_ -> claim.allocation().isEmpty())
                .map(waits -> Answer.inPresentWords(waits, explanation));
    }

    private <T extends Decision.Verdict> Optional<T> verdict(Class<T> type) {
        return decided.map(each -> each.decision().verdict())
                .filter(type::isInstance)
                .map(type::cast);
    }

    /** Returns whether the status contains the decided devices and consumers. */
    public boolean isCommitted() {
        return claim.allocation().isPresent()
                && granted()
                        .map(granted -> devices(granted.allocation())
                                        .equals(devices(claim.allocation().orElseThrow()))
                                && claim.reservedFor().containsAll(granted.reservedFor()))
                        .orElse(true);
    }

    private static List<?> devices(Allocation allocation) {
        return allocation.results().stream().map(result -> result.device()).toList();
    }

    /** Returns the input for an explanation: the claim as it was before Claimstream allocated it. */
    public Answer answer() {
        return new Answer(
                granted().isPresent()
                        ? new ResourceClaim(claim.meta(), claim.spec(), Optional.empty(), List.of())
                        : claim,
                decided.map(Decided::decision),
                explanation,
                waits().flatMap(_ -> time),
                othersClasses,
                notLookedAt);
    }
}

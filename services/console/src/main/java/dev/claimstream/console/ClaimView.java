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
 * A claim with what is known of it.
 *
 * @param claim as the cluster holds it
 * @param decided the last answer to it
 * @param explanation of the item that it was decided with
 * @param time when that explanation was true
 * @param outcome what the writer said of that answer
 * @param othersClasses its classes, where none of them is ours to allocate
 * @param notLookedAt what may keep its pod from nodes and is no part of the decision
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

    /** A decision and when the input that led to it was written. */
    public record Decided(Decision decision, Instant at) {}

    /**
     * What became of a decision.
     *
     * @param text committed, refused, conflict, gone or failed
     */
    public record Outcome(long number, String text, String message) {}

    /** How it stands, in a word. */
    public enum State {
        /** It has devices. */
        GRANTED("granted"),
        /** It has none, for a reason that may change. */
        WAITS("waits"),
        /** The effort was spent before there was an answer. */
        UNDECIDED("undecided"),
        /** Nobody has looked at it yet. */
        PENDING("pending");

        private final String text;

        State(String text) {
            this.text = text;
        }

        /** The word. */
        public String text() {
            return text;
        }
    }

    /** Where it stands. */
    public ObjectKey key() {
        return claim.key();
    }

    /** How it stands. */
    public State state() {
        if (allocation().isPresent()) {
            return State.GRANTED;
        }
        return waits().map(waits -> waits.reason() == Reason.Undecided ? State.UNDECIDED : State.WAITS)
                .orElse(State.PENDING);
    }

    /** What it has: what we gave, else what its status says. */
    public Optional<Allocation> allocation() {
        return granted().map(Decision.Verdict.Granted::allocation).or(claim::allocation);
    }

    /** Whether it has devices that others gave. */
    public boolean isOfOthers() {
        return !othersClasses.isEmpty() && allocation().isPresent();
    }

    /** Who may use it. */
    public List<Consumer> reservedFor() {
        return granted().map(Decision.Verdict.Granted::reservedFor).orElse(claim.reservedFor());
    }

    /**
     * The pods that have it, as the cluster says it where it does; of a claim without devices the one that waits for it, where that is
     * known. Other consumers with their kind before the name.
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

    /** What we gave. */
    public Optional<Decision.Verdict.Granted> granted() {
        return verdict(Decision.Verdict.Granted.class);
    }

    /** Why it waits; an allocation in its status is news over that. */
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

    /** Whether the status of the claim says what it has, consumers included. */
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

    /** For who explains it: the claim as it was before we gave it anything. */
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

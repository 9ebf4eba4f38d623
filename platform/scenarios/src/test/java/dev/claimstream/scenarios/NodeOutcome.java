package dev.claimstream.scenarios;

import dev.claimstream.dra.Allocation;
import java.util.List;
import java.util.Optional;

/**
 * The outcome for the claims of a problem on one node, by upstream or Claimstream.
 *
 * @param allocations one per claim if they fit, without share IDs
 * @param text the error, or the reason why the claims do not fit
 * @param messages possible errors of Claimstream, one of which must be upstream's
 */
record NodeOutcome(OutcomeKind kind, List<Allocation> allocations, String text, List<String> messages) {
    enum OutcomeKind {
        FITS,
        DOES_NOT_FIT,
        ERROR,
        UNDECIDED
    }

    NodeOutcome {
        allocations = List.copyOf(allocations);
        messages = List.copyOf(messages);
    }

    NodeOutcome(OutcomeKind kind, List<Allocation> allocations, String text) {
        this(kind, allocations, text, List.of());
    }

    static NodeOutcome of(ScenarioDecision decision) {
        return switch (decision) {
            case ScenarioDecision.Allocated fits -> fits(fits.allocations());
            case ScenarioDecision.Pending not -> new NodeOutcome(OutcomeKind.DOES_NOT_FIT, List.of(), not.reason());
            case ScenarioDecision.Failed fails ->
                new NodeOutcome(OutcomeKind.ERROR, List.of(), fails.messages().getFirst(), fails.messages());
            case ScenarioDecision.BudgetExhausted undecided ->
                new NodeOutcome(OutcomeKind.UNDECIDED, List.of(), undecided.reason());
        };
    }

    static NodeOutcome fits(List<Allocation> allocations) {
        List<Allocation> plain = allocations.stream()
                .map(each -> new Allocation(
                        AllocationText.withoutShares(each.results()),
                        each.config(),
                        each.nodeSelector(),
                        Optional.empty()))
                .toList();
        return new NodeOutcome(OutcomeKind.FITS, plain, "");
    }

    /** Returns whether both have the same kind and allocations; the texts may differ. */
    boolean hasSameResult(NodeOutcome other) {
        return kind == other.kind && allocations.equals(other.allocations);
    }

    /**
     * Returns whether an error of Claimstream starts with the first line of upstream's error, which an expression may
     * follow. A panic has no message.
     */
    boolean hasMessageOf(NodeOutcome upstream) {
        if (upstream.kind != OutcomeKind.ERROR || upstream.text.startsWith("panic:")) {
            return true;
        }
        String line = upstream.text.lines().findFirst().orElse("");
        return messages.stream().anyMatch(wording -> wording.startsWith(line));
    }
}

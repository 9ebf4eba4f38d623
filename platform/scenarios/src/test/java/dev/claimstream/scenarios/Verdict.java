package dev.claimstream.scenarios;

import dev.claimstream.dra.Allocation;
import java.util.List;
import java.util.Optional;

/**
 * What somebody says of the claims of a problem on one node.
 *
 * @param allocations one for each claim where they fit, without the names of shares
 * @param text of an error, or why not
 * @param wordings of an error of ours, one of which has to be upstream's
 */
record Verdict(Kind kind, List<Allocation> allocations, String text, List<String> wordings) {
    enum Kind {
        FITS,
        DOES_NOT_FIT,
        ERROR,
        UNDECIDED
    }

    Verdict {
        allocations = List.copyOf(allocations);
        wordings = List.copyOf(wordings);
    }

    Verdict(Kind kind, List<Allocation> allocations, String text) {
        this(kind, allocations, text, List.of());
    }

    static Verdict of(ScenarioDecision decision) {
        return switch (decision) {
            case ScenarioDecision.Allocated fits -> fits(fits.allocations());
            case ScenarioDecision.Pending not -> new Verdict(Kind.DOES_NOT_FIT, List.of(), not.reason());
            case ScenarioDecision.Failed fails ->
                new Verdict(Kind.ERROR, List.of(), fails.messages().getFirst(), fails.messages());
            case ScenarioDecision.BudgetExhausted undecided ->
                new Verdict(Kind.UNDECIDED, List.of(), undecided.reason());
        };
    }

    static Verdict fits(List<Allocation> allocations) {
        List<Allocation> plain = allocations.stream()
                .map(each -> new Allocation(
                        AllocationText.withoutShares(each.results()),
                        each.config(),
                        each.nodeSelector(),
                        Optional.empty()))
                .toList();
        return new Verdict(Kind.FITS, plain, "");
    }

    /** Whether both say the same; errors and reasons may be worded otherwise. */
    boolean isLike(Verdict other) {
        return kind == other.kind && allocations.equals(other.allocations);
    }

    /** Whether an error of ours begins as upstream's does: its first line, behind which an expression is shown. A panic has no words. */
    boolean isWordedLike(Verdict upstream) {
        if (upstream.kind != Kind.ERROR || upstream.text.startsWith("panic:")) {
            return true;
        }
        String line = upstream.text.lines().findFirst().orElse("");
        return wordings.stream().anyMatch(wording -> wording.startsWith(line));
    }
}

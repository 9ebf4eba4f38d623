package dev.claimstream.cli.output;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.console.ClaimResult;
import java.util.List;
import java.util.Optional;

/** Describes pending pods whose claims are all allocated. The claim table does not show them. */
public final class PendingPods {
    private PendingPods() {}

    public static Optional<String> line(Explanation explanation, List<ClaimResult> answers) {
        boolean isInTable = answers.stream()
                .filter(answer -> answer.state() != ClaimResult.ResultState.ALLOCATED)
                .anyMatch(answer -> explanation.claims().contains(answer.claim().key()));
        return explanation.item().kind() == ItemId.ItemKind.POD
                        && !isInTable
                        && explanation.detail() instanceof Explanation.ExplanationDetail.Pending waits
                ? Optional.of("pod %s is pending: %s"
                        .formatted(explanation.item().key(), waits.diagnosis().message()))
                : Optional.empty();
    }
}

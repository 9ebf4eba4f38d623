package dev.claimstream.cli;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.console.Answer;
import java.util.List;
import java.util.Optional;

/** Describes pending pods whose claims are all allocated. The claim table does not show them. */
final class WaitingPods {
    private WaitingPods() {}

    static Optional<String> line(Explanation explanation, List<Answer> answers) {
        boolean isInTable = answers.stream()
                .filter(answer -> answer.state() != Answer.State.GRANTED)
                .anyMatch(answer -> explanation.claims().contains(answer.claim().key()));
        return explanation.item().sort() == ItemId.Sort.POD
                        && !isInTable
                        && explanation.because() instanceof Explanation.Because.Waits waits
                ? Optional.of("pod %s waits: %s"
                        .formatted(explanation.item().key(), waits.diagnosis().message()))
                : Optional.empty();
    }
}

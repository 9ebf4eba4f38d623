package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.IgnoredObservation;
import java.util.List;

/**
 * The result of one input. Its facts are already applied.
 *
 * @param ignored observations that changed nothing and are not mere repetitions
 */
public record RouterStep(List<RouterFact> facts, List<RouterOutput> outputs, List<IgnoredObservation> ignored) {
    public RouterStep {
        facts = List.copyOf(facts);
        outputs = List.copyOf(outputs);
        ignored = List.copyOf(ignored);
    }
}

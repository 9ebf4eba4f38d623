package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.Ignored;
import java.util.List;

/**
 * What one input led to. The facts have been applied.
 *
 * @param ignored what was observed, changed nothing and was not only repeated
 */
public record RouterStep(List<RouterFact> facts, List<RouterOutput> outputs, List<Ignored> ignored) {
    public RouterStep {
        facts = List.copyOf(facts);
        outputs = List.copyOf(outputs);
        ignored = List.copyOf(ignored);
    }
}

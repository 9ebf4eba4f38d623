package dev.claimstream.allocation.router;

import java.util.List;

/** What one input led to. The facts have been applied. */
public record RouterStep(List<RouterFact> facts, List<RouterOutput> outputs) {
    public RouterStep {
        facts = List.copyOf(facts);
        outputs = List.copyOf(outputs);
    }
}

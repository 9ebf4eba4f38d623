package dev.claimstream.allocation.cell;

import java.util.List;

/**
 * What one input led to.
 *
 * @param steps counted search effort
 */
public record Step(List<Fact> facts, List<Output> outputs, long steps) {
    public Step {
        facts = List.copyOf(facts);
        outputs = List.copyOf(outputs);
    }
}

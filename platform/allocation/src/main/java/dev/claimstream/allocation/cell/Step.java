package dev.claimstream.allocation.cell;

import java.util.List;

/**
 * What one input led to.
 *
 * @param steps counted search effort
 * @param work units of work that were charged ({@link WorkBudget})
 * @param ignored the input, where it changed nothing and was not only repeated
 */
public record Step(List<Fact> facts, List<Output> outputs, long steps, long work, List<Ignored> ignored) {
    public Step {
        facts = List.copyOf(facts);
        outputs = List.copyOf(outputs);
        ignored = List.copyOf(ignored);
    }
}

package dev.claimstream.allocation.cell;

import java.util.List;

/**
 * The result of one input.
 *
 * @param facts already applied to the state
 * @param steps search steps
 * @param work charged units of work ({@link WorkBudget})
 * @param ignored the observation, if it changed nothing and was not a mere repetition
 */
public record Step(List<Fact> facts, List<Output> outputs, long steps, long work, List<IgnoredObservation> ignored) {
    public Step {
        facts = List.copyOf(facts);
        outputs = List.copyOf(outputs);
        ignored = List.copyOf(ignored);
    }
}

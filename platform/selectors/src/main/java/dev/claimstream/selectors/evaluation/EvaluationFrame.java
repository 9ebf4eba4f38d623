package dev.claimstream.selectors.evaluation;

import org.jspecify.annotations.Nullable;

/**
 * The state of one evaluation.
 *
 * @param device the value of the variable {@code device}
 * @param variables the variables of comprehensions, by index in the plan; null before their first value
 */
record EvaluationFrame(
        CostMeter meter, Object device, @Nullable Object[] variables) {}

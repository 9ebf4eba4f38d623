package dev.claimstream.selectors.evaluation;

import org.jspecify.annotations.Nullable;

/**
 * One evaluation.
 *
 * @param device the value of the variable {@code device}
 * @param variables those of comprehensions, by their numbers in the plan; null where there is no value yet
 */
record Frame(Meter meter, Object device, @Nullable Object[] variables) {}

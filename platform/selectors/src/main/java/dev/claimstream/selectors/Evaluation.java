package dev.claimstream.selectors;

import dev.claimstream.dra.Selector.Match;

/**
 * The result of one evaluation of a selector.
 *
 * @param cost in the units of {@code CELSelectorExpressionMaxCost} of the API, up to the end of the evaluation; unsigned
 */
public record Evaluation(Match match, long cost) {}

package dev.claimstream.selectors;

import dev.claimstream.dra.Selector.Match;

/**
 * One evaluation of a selector.
 *
 * @param cost in the units of {@code CELSelectorExpressionMaxCost} of the API, as far as the evaluation came; 64 bits without a sign
 */
public record Evaluation(Match match, long cost) {}

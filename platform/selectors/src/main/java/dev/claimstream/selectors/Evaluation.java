package dev.claimstream.selectors;

import dev.claimstream.dra.Selector.Match;

/**
 * One evaluation of a selector.
 *
 * @param cost in the units of {@code CELSelectorExpressionMaxCost} of the API, as far as the evaluation came
 * @param hasAbsorbed whether {@code &&} or {@code ||} absorbed an error; upstream then also charges for the calls that failed
 */
public record Evaluation(Match match, long cost, boolean hasAbsorbed) {
    /** One in which no error was absorbed. */
    public Evaluation(Match match, long cost) {
        this(match, cost, false);
    }
}

package dev.claimstream.dra;

/**
 * The answer of one evaluation and its cost.
 *
 * @param cost in the units of {@code CELSelectorExpressionMaxCost} of the API; independent of caches
 * @param <T> what the expression answers
 */
public record CostedAnswer<T>(T answer, long cost) {}

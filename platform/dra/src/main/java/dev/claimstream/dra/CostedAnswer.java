package dev.claimstream.dra;

/**
 * The result and the cost of one expression evaluation.
 *
 * @param cost in the units of the API's {@code CELSelectorExpressionMaxCost}; independent of caches
 * @param <T> the type of the result
 */
public record CostedAnswer<T>(T answer, long cost) {}

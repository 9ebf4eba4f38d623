package dev.claimstream.selectors;

/**
 * Ends an evaluation that costs too much. An error and no exception: {@code &&} and {@code ||} absorb exceptions.
 */
final class CostLimitExceeded extends Error {
    static final String MESSAGE = "operation cancelled: actual cost limit exceeded";

    private static final long serialVersionUID = 1L;

    CostLimitExceeded() {
        super(MESSAGE, null, false, false);
    }
}

package dev.claimstream.allocation.solver;

/** Outcome of a search on one node, with its counted steps. A cached outcome charges its steps again. */
sealed interface SearchOutcome {
    /** Counted steps. */
    long steps();

    /** Adds the steps of an earlier search. */
    default SearchOutcome plusSteps(long more) {
        return switch (this) {
            case Solution fits -> new Solution(fits.columns, fits.devices, fits.score, fits.steps + more);
            case NoSolution noSolution -> new NoSolution(noSolution.steps + more);
            case Failed fails -> new Failed(fails.failure, fails.steps + more);
            case BudgetExhausted spent -> new BudgetExhausted(spent.steps + more);
        };
    }

    /**
     * The problem fits.
     *
     * @param columns option of each assignment, in the order of requests
     * @param devices layout index of each assigned device
     */
    record Solution(int[] columns, int[] devices, Score score, long steps) implements SearchOutcome {}

    /** The problem does not fit. */
    record NoSolution(long steps) implements SearchOutcome {}

    /** The search met a failure that prevents a decision. */
    record Failed(SearchFailure failure, long steps) implements SearchOutcome {}

    /** The search budget was exhausted first. */
    record BudgetExhausted(long steps) implements SearchOutcome {}

    /** A failure that prevents a decision. */
    sealed interface SearchFailure {
        /** A selector failed on a device. */
        record SelectorFailure(int column, int device) implements SearchFailure {}

        /** An attribute of a device could not be derived. */
        record DerivationFailure(int column, int device) implements SearchFailure {}

        /** The problem requests all devices, and a pool is being updated. */
        record IncompletePool() implements SearchFailure {}

        /** A pool is inconsistent, and the problem requests all devices or no other device fits. */
        record InvalidPool() implements SearchFailure {}

        /** The problem requests all devices, and a constraint rejects one of them. */
        record ConstraintViolation(int column, int device) implements SearchFailure {}

        /** A request for all devices exceeds the device limit of a claim. */
        record TooManyDevices(String request, long devices, long others) implements SearchFailure {
            String message() {
                return "request %s: adding %d devices exceeds the claim limit of %d, with %d already accounted for"
                        .formatted(request, devices, AllocationProblem.DEVICES_MAX, others);
            }
        }
    }
}

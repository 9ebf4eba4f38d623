package dev.claimstream.allocation.solver;

/** Outcome of a search on one node, with its counted steps. A cached outcome charges its steps again. */
sealed interface Outcome {
    /** Counted steps. */
    long steps();

    /** Adds the steps of an earlier search. */
    default Outcome after(long more) {
        return switch (this) {
            case Fits fits -> new Fits(fits.columns, fits.devices, fits.score, fits.steps + more);
            case Misses misses -> new Misses(misses.steps + more);
            case Fails fails -> new Fails(fails.failure, fails.steps + more);
            case Spent spent -> new Spent(spent.steps + more);
        };
    }

    /**
     * The problem fits.
     *
     * @param columns option of each assignment, in the order of requests
     * @param devices layout index of each assigned device
     */
    record Fits(int[] columns, int[] devices, Score score, long steps) implements Outcome {}

    /** The problem does not fit. */
    record Misses(long steps) implements Outcome {}

    /** The search met a failure that prevents a decision. */
    record Fails(Failure failure, long steps) implements Outcome {}

    /** The search budget was exhausted first. */
    record Spent(long steps) implements Outcome {}

    /** A failure that prevents a decision. */
    sealed interface Failure {
        /** A selector failed on a device. */
        record OfSelector(int column, int device) implements Failure {}

        /** An attribute of a device could not be derived. */
        record OfAttribute(int column, int device) implements Failure {}

        /** The problem requests all devices, and a pool is being updated. */
        record PoolIncomplete() implements Failure {}

        /** A pool is inconsistent, and the problem requests all devices or no other device fits. */
        record PoolInvalid() implements Failure {}

        /** The problem requests all devices, and a constraint rejects one of them. */
        record AllAgainstConstraint(int column, int device) implements Failure {}

        /** A request for all devices exceeds the device limit of a claim. */
        record TooMany(String request, long devices, long before) implements Failure {
            String message() {
                return "request %s: adding %d devices exceeds the claim limit of %d, with %d already accounted for"
                        .formatted(request, devices, Question.DEVICES_MAX, before);
            }
        }
    }
}

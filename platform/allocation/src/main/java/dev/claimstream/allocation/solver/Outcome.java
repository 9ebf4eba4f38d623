package dev.claimstream.allocation.solver;

/** What a search on one node came to, and how many steps it took; a remembered outcome costs its steps again. */
sealed interface Outcome {
    /** Counted steps. */
    long steps();

    /** The same after some steps that led to nothing. */
    default Outcome after(long more) {
        return switch (this) {
            case Fits fits -> new Fits(fits.columns, fits.devices, fits.score, fits.steps + more);
            case Misses misses -> new Misses(misses.steps + more);
            case Fails fails -> new Fails(fails.failure, fails.steps + more);
            case Spent spent -> new Spent(spent.steps + more);
        };
    }

    /**
     * It fits.
     *
     * @param columns the want of each pick, in the order of requests
     * @param devices the place of each picked device in the layout
     */
    record Fits(int[] columns, int[] devices, Score score, long steps) implements Outcome {}

    /** It does not fit. */
    record Misses(long steps) implements Outcome {}

    /** The search met something that forbids an answer. */
    record Fails(Failure failure, long steps) implements Outcome {}

    /** The effort was spent first. */
    record Spent(long steps) implements Outcome {}

    /** What forbids an answer. */
    sealed interface Failure {
        /** A selector failed on a device. */
        record OfSelector(int column, int device) implements Failure {}

        /** An attribute could not be derived for a device. */
        record OfAttribute(int column, int device) implements Failure {}

        /** All devices are wanted, and a pool is being updated. */
        record PoolIncomplete() implements Failure {}

        /** A pool contradicts itself, and either all devices are wanted or no other fits. */
        record PoolInvalid() implements Failure {}

        /** All devices are wanted, and a constraint forbids one of them. */
        record AllAgainstConstraint(int column, int device) implements Failure {}

        /** All devices are wanted, and they are more than a claim may have. */
        record TooMany(String request, long devices, long before) implements Failure {
            String message() {
                return "request %s: adding %d devices exceeds the claim limit of %d, with %d already accounted for"
                        .formatted(request, devices, Question.DEVICES_MAX, before);
            }
        }
    }
}

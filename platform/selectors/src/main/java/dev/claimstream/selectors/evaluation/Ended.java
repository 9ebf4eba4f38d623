package dev.claimstream.selectors.evaluation;

/** Aborts an evaluation with an error that no operator absorbs. */
final class Ended extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private Ended(String message) {
        super(message, null, false, false);
    }

    /** The cost limit was exceeded. */
    static Ended byCost() {
        return new Ended("operation cancelled: actual cost limit exceeded");
    }

    /** Upstream panics at this point; its evaluator converts the panic to an error. */
    static Ended byPanic(String message) {
        return new Ended("internal error: " + message);
    }

    Failure failure() {
        return new Failure(String.valueOf(getMessage()));
    }
}

package dev.claimstream.selectors.evaluation;

/** Ends an evaluation at once with an error that no operator absorbs. */
final class Ended extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private Ended(String message) {
        super(message, null, false, false);
    }

    /** Because it costs too much. */
    static Ended byCost() {
        return new Ended("operation cancelled: actual cost limit exceeded");
    }

    /** Because upstream panics there, too; its evaluator makes an error of that. */
    static Ended byPanic(String message) {
        return new Ended("internal error: " + message);
    }

    Failure failure() {
        return new Failure(String.valueOf(getMessage()));
    }
}

package dev.claimstream.selectors.evaluation;

/** Aborts an evaluation with an error that no operator absorbs. */
final class EvaluationAbortException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private EvaluationAbortException(String message) {
        super(message, null, false, false);
    }

    /** The cost limit was exceeded. */
    static EvaluationAbortException byCost() {
        return new EvaluationAbortException("operation cancelled: actual cost limit exceeded");
    }

    /** Upstream panics at this point; its evaluator converts the panic to an error. */
    static EvaluationAbortException byPanic(String message) {
        return new EvaluationAbortException("internal error: " + message);
    }

    EvaluationFailure failure() {
        return new EvaluationFailure(String.valueOf(getMessage()));
    }
}

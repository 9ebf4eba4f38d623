package dev.claimstream.selectors.evaluation;

/**
 * An error as a value. It propagates through calls until {@code &&} or {@code ||} absorbs it.
 *
 * @param message in upstream's words
 */
public record EvaluationFailure(String message) {
    static final EvaluationFailure NO_SUCH_OVERLOAD = new EvaluationFailure("no such overload");

    /** Returns the error for a value of an unexpected type; the value itself if it is an error. */
    static EvaluationFailure of(Object unwanted) {
        return unwanted instanceof EvaluationFailure failure ? failure : NO_SUCH_OVERLOAD;
    }
}

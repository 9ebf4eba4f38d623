package dev.claimstream.selectors.evaluation;

/**
 * An error as a value. It propagates through calls until {@code &&} or {@code ||} absorbs it.
 *
 * @param message in upstream's words
 */
public record Failure(String message) {
    static final Failure NO_SUCH_OVERLOAD = new Failure("no such overload");

    /** Returns the error for a value of an unexpected type; the value itself if it is an error. */
    static Failure of(Object unwanted) {
        return unwanted instanceof Failure failure ? failure : NO_SUCH_OVERLOAD;
    }
}

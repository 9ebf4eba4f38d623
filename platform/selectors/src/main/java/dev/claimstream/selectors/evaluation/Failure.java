package dev.claimstream.selectors.evaluation;

/**
 * An error as a value. It goes up through calls until {@code &&} or {@code ||} absorbs it.
 *
 * @param message in upstream's words
 */
public record Failure(String message) {
    static final Failure NO_SUCH_OVERLOAD = new Failure("no such overload");

    /** The error where a value is of another type than wanted: that value if it is an error itself. */
    static Failure of(Object unwanted) {
        return unwanted instanceof Failure failure ? failure : NO_SUCH_OVERLOAD;
    }
}

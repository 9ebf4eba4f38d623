package dev.claimstream.selectors.functions;

/**
 * The limit on the size of a result.
 *
 * <p>The cost of such a call is known only after it, so a call whose result can be much larger than its arguments checks the size first.
 */
final class ResultSizeLimit {
    /** Elements of a list or chars of a string; the same limit that upstream sets for {@code lists.range}. */
    static final long MAX = 1_000_000;

    private ResultSizeLimit() {}

    static int check(String function, long size) {
        if (size > MAX) {
            throw new CallException("%s: size %d exceeds maximum allowed (%d)".formatted(function, size, MAX));
        }
        return (int) size;
    }
}

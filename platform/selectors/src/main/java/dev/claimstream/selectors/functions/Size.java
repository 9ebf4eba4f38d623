package dev.claimstream.selectors.functions;

/**
 * The bound on what one call may produce. The cost of a call is known only after it, so a call whose result can be much larger than its
 * arguments asks here first.
 */
final class Size {
    /** Elements of a list or characters of a text, as upstream bounds {@code lists.range}. */
    static final long MAX = 1_000_000;

    private Size() {}

    static int checked(String function, long size) {
        if (size > MAX) {
            throw new CallError("%s: size %d exceeds maximum allowed (%d)".formatted(function, size, MAX));
        }
        return (int) size;
    }
}

package dev.claimstream.allocation.router;

/**
 * The rows of the router whose keys start with a prefix; all of them have one type.
 *
 * <p>Prefixes are part of the changelog format. Only rows of one type share a prefix.
 */
record RouterRowRange<R extends RouterRow>(Class<R> type, String prefix) {
    /** Returns the key of the row with this last part. */
    String key(String part) {
        return prefix + part;
    }
}

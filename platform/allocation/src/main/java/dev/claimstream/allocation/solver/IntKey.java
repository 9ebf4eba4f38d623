package dev.claimstream.allocation.solver;

import java.util.Arrays;

/** Array of integers as a map key, with a cached hash. */
final class IntKey {
    private final int[] content;
    private final int hash;

    IntKey(int[] content) {
        this.content = content;
        this.hash = Arrays.hashCode(content);
    }

    /** Number of integers. */
    int size() {
        return content.length;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IntKey key && hash == key.hash && Arrays.equals(content, key.content);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}

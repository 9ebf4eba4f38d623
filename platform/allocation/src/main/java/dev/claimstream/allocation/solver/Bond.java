package dev.claimstream.allocation.solver;

/**
 * A {@code matchAttribute} or {@code distinctAttribute} constraint, resolved for the search.
 *
 * @param claim index of the claim
 * @param attribute index of the attribute name in {@link Question#attributes}
 * @param distinct whether values must differ instead of match
 * @param sources per column, the index of the {@link Source} of the value; {@link #NOT_BOUND} if the constraint does
 *     not apply
 */
record Bond(int claim, int attribute, boolean distinct, int[] sources) {
    static final int NOT_BOUND = -1;

    boolean binds(int column) {
        return column < sources.length && sources[column] != NOT_BOUND;
    }

    /** Index of the {@link Source} of the value for an option to which the constraint applies. */
    int source(int column) {
        return sources[column];
    }
}

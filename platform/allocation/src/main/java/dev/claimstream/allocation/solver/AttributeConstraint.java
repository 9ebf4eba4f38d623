package dev.claimstream.allocation.solver;

/**
 * A {@code matchAttribute} or {@code distinctAttribute} constraint, resolved for the search.
 *
 * @param claim index of the claim
 * @param attribute index of the attribute name in {@link AllocationProblem#attributes}
 * @param distinct whether values must differ instead of match
 * @param sources per column, the index of the {@link AttributeSource} of the value; {@link #NOT_APPLICABLE} if the constraint does
 *     not apply
 */
record AttributeConstraint(int claim, int attribute, boolean distinct, int[] sources) {
    static final int NOT_APPLICABLE = -1;

    boolean appliesTo(int column) {
        return column < sources.length && sources[column] != NOT_APPLICABLE;
    }

    /** Index of the {@link AttributeSource} of the value for an option to which the constraint applies. */
    int source(int column) {
        return sources[column];
    }
}

package dev.claimstream.allocation.solver;

/**
 * A constraint made ready.
 *
 * @param claim the place of its claim
 * @param attribute the place of its attribute's name in the question
 * @param distinct whether values must differ, instead of being equal
 * @param sources per column, where the value comes from for devices of that want; negative where it does not bind them
 */
record Bond(int claim, int attribute, boolean distinct, int[] sources) {
    static final int NOT_BOUND = -1;

    boolean binds(int column) {
        return column < sources.length && sources[column] != NOT_BOUND;
    }

    /** Where the value comes from for a want that it binds: a place in the sources of the question. */
    int source(int column) {
        return sources[column];
    }
}

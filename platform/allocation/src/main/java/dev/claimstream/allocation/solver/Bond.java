package dev.claimstream.allocation.solver;

/**
 * A constraint made ready.
 *
 * @param claim the place of its claim
 * @param attribute the place of its attribute in a layout
 * @param distinct whether values must differ, instead of being equal
 * @param binds per column, whether it binds devices of that want
 */
record Bond(int claim, int attribute, boolean distinct, boolean[] binds) {
    boolean binds(int column) {
        return column < binds.length && binds[column];
    }
}

package dev.claimstream.allocation.solver;

/** What a diagnosis pretends, to find out what stands in the way. */
enum Relaxation {
    /** Every device is free. */
    HELD,
    /** Every taint is tolerated. */
    TAINTS,
    /** There are no constraints. */
    CONSTRAINTS
}

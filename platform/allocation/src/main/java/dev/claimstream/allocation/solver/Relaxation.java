package dev.claimstream.allocation.solver;

/** A limit that a diagnosis lifts, to find out whether it is the one that stands in the way. */
enum Relaxation {
    /** Every device is free. */
    HELD,
    /** Every taint is tolerated. */
    TAINTS,
    /** Shared counters have room for every device. */
    COUNTERS,
    /** Devices of all compatibility groups go together. */
    GROUPS,
    /** Shared devices have room for every request. */
    CAPACITY,
    /** There are no constraints. */
    CONSTRAINTS
}

package dev.claimstream.allocation.solver;

/** A limit that a diagnosis removes to find out whether it prevents a solution. */
enum Relaxation {
    /** Treats every device as unallocated. */
    ALLOCATIONS,
    /** Tolerates every taint. */
    TAINTS,
    /** Ignores shared counters. */
    COUNTERS,
    /** Ignores compatibility groups. */
    GROUPS,
    /** Ignores capacities of shared devices. */
    CAPACITY,
    /** Ignores constraints. */
    CONSTRAINTS
}

package dev.claimstream.dra;

/** How many devices a request wants; a name that is not known is kept and refused when it is asked for. */
public record AllocationMode(String name) {
    /** As many as the request's count. */
    public static final AllocationMode EXACT_COUNT = new AllocationMode("ExactCount");

    /** Every device that matches, at least one. */
    public static final AllocationMode ALL = new AllocationMode("All");
}

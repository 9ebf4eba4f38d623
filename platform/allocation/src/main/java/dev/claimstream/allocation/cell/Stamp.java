package dev.claimstream.allocation.cell;

/**
 * The source and version of an observation.
 *
 * @param source the source that owns the object; only it can change or delete the object
 * @param epoch number of the source's list
 * @param version increases per object
 * @param timing when the source's claims are allocated; constant within an epoch, and the highest epoch counts
 */
public record Stamp(String source, long epoch, long version, AllocationTiming timing) {
    /** Of a source with immediate allocation, or of an object that is not a claim. */
    public Stamp(String source, long epoch, long version) {
        this(source, epoch, version, AllocationTiming.IMMEDIATE);
    }
}

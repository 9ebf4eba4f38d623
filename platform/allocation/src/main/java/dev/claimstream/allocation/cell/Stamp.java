package dev.claimstream.allocation.cell;

/**
 * Who says something and how new it is.
 *
 * @param source the source that brought it; only that source can change or withdraw it
 * @param epoch counts the listings of the source
 * @param version the higher, the newer, per object
 * @param timing when the source's claims are allocated; a source keeps it for a whole epoch, and the highest epoch counts
 */
public record Stamp(String source, long epoch, long version, AllocationTiming timing) {
    /** Of a source whose claims are allocated at once, or of something that is no claim. */
    public Stamp(String source, long epoch, long version) {
        this(source, epoch, version, AllocationTiming.IMMEDIATE);
    }
}

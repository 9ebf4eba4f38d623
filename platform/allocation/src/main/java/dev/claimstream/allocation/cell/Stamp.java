package dev.claimstream.allocation.cell;

/**
 * The source and version of an observation.
 *
 * @param source the source that owns the object; only it can change or delete the object
 * @param epoch number of the source's list
 * @param version increases per object, as long as the cluster is not restored from a backup
 * @param timing when the source's claims are allocated; constant within an epoch, and the highest epoch counts
 * @param listVersion highest version that existed before the list of this epoch was read; 0 if unknown, and in rows. The
 *     list contains the last state of every object up to this version. So a list with an older state shows that the
 *     cluster was restored from a backup
 */
public record Stamp(String source, long epoch, long version, AllocationTiming timing, long listVersion) {
    /** Without the version of the list. */
    public Stamp(String source, long epoch, long version, AllocationTiming timing) {
        this(source, epoch, version, timing, 0);
    }

    /** Of a source with immediate allocation, or of an object that is not a claim. */
    public Stamp(String source, long epoch, long version) {
        this(source, epoch, version, AllocationTiming.IMMEDIATE);
    }

    /** The same stamp as rows store it. */
    Stamp forRow() {
        return listVersion == 0 ? this : new Stamp(source, epoch, version, timing);
    }

    /**
     * Whether this is later than a record of the same source with a higher version, because versions went back.
     *
     * <p>Within one history of the cluster, a list contains the last state of each object up to its version. A list
     * that is older than a known record below its version is the list of a cluster that was restored from a backup.
     */
    boolean isRestoredSince(Stamp known) {
        return source.equals(known.source)
                && epoch > known.epoch
                && version <= known.version
                && known.version <= listVersion;
    }
}

package dev.claimstream.allocation.cell;

/**
 * The last complete list of a kind by a source.
 *
 * <p>Several processes may act as one source, each with its own list. Object versions are common to all of them, so
 * they tell what the list could contain.
 *
 * @param epoch of the list; 0 for none
 * @param version up to which the list contains the objects
 */
public record LastList(long epoch, long version) {
    /** The list that a marker with this stamp completes. It contains the last state of every object up to the higher version. */
    public static LastList of(Stamp marker) {
        return new LastList(marker.epoch(), Math.max(marker.version(), marker.listVersion()));
    }

    /** No complete list yet. */
    public static final LastList NONE = new LastList(0, 0);

    /** Whether a record of an unknown object is older than the list, which did not contain the object. */
    public boolean supersedes(Stamp stamp) {
        return stamp.epoch() < epoch && stamp.version() <= version;
    }

    /**
     * Whether an object that the list did not contain is deleted.
     *
     * <p>If versions went back since the list before, as after a restore of the cluster, they are not compared.
     */
    public boolean sweeps(Stamp known, LastList before) {
        return known.epoch() < epoch && (known.version() <= version || version < before.version);
    }
}

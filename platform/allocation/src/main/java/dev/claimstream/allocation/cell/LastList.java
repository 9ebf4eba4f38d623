package dev.claimstream.allocation.cell;

/**
 * The last complete list of a kind by a source. Several processes may speak as one source, each after a list of its own; the versions of
 * objects are the same for all, so that these say what a list can know of and what came after it.
 *
 * @param epoch of the list, 0 where there was none
 * @param version up to which it shows the objects
 */
public record LastList(long epoch, long version) {
    /** There was none. */
    public static final LastList NONE = new LastList(0, 0);

    /** Whether this word of an object that nobody knows is from before the list, which did not show the object. */
    public boolean hasOvertaken(Stamp word) {
        return word.epoch() < epoch && word.version() <= version;
    }

    /**
     * Whether an object that the list did not show is gone. Where versions have gone back since the list before, as when a cluster is
     * restored, they say nothing.
     */
    public boolean sweeps(Stamp known, LastList before) {
        return known.epoch() < epoch && (known.version() <= version || version < before.version);
    }
}

package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;

/** What comes in. Any of them may be repeated, late, or out of order with those of other objects. */
public sealed interface Observation {
    /** An object stands as given. */
    record Seen(Stamp stamp, ClusterObject object) implements Observation {}

    /** An object is gone. */
    record Gone(Stamp stamp, Kind kind, ObjectKey key, String uid) implements Observation {}

    /**
     * On one partition of its topic, a source has shown every object of a kind that it has in this epoch. It counts when it has
     * arrived from all partitions.
     */
    record Listed(Stamp stamp, Kind kind, int partition, int partitions) implements Observation {}

    /** A source's view of a kind is known to be old until it lists again. */
    record Stale(Stamp stamp, Kind kind) implements Observation {}

    /** A node is not heard of any more, or again. */
    record Heard(Stamp stamp, String node, boolean silent) implements Observation {}

    /**
     * What became of a decision where it was to be carried out.
     *
     * @param claimVersion of a refusal: the version of the claim up to which it counts, which is the one that was refused, or the one that
     *     the claim got when it was cleared for that; 0 where that is not known
     */
    record Carried(String claimUid, long number, Result result, String message, long claimVersion)
            implements Observation {
        /** The cases that matter here; others are followed by one of these. */
        public enum Result {
            /** The claim has it. */
            COMMITTED,
            /** The claim does not have it, and will not get it by that decision. */
            REFUSED
        }
    }

    /**
     * The router lends an item to this cell, which answers with a {@link Verdict} on that attempt.
     *
     * @param uid of the pod or claim
     * @param number decisions from here on have higher ones
     */
    record Assigned(ItemId item, String uid, long attempt, long number) implements Observation {}

    /**
     * The router does not take up that an item would fit here: it is served elsewhere, or waits for something else. It is not to be looked
     * out for here before it is lent again.
     *
     * @param uid of the pod or claim
     */
    record Declined(ItemId item, String uid) implements Observation {}

    /** The router wants a node moved to another cell. */
    record HandOver(String node, long transfer) implements Observation {}

    /** From now on these settings count. */
    record Configured(Settings settings) implements Observation {}

    /**
     * What we have answered before our state was lost; told before anything else when a cell is rebuilt. A grant holds its devices again,
     * a release frees them, and numbers go on above it.
     */
    record Restored(Decision decision) implements Observation {}

    /** Time passes; what ends by time ends now. */
    record Tick() implements Observation {}

    /**
     * A slice of unfinished work is due; a cell writes it to its own input as long as there is some.
     *
     * @param number of the slice; one that was done before changes nothing
     */
    record Continue(long number) implements Observation {}

    /** Somebody wants to know when everything before this is decided; on every partition, so that nothing is overtaken. */
    record Probe(String id, int partition, int partitions) implements Observation {}
}

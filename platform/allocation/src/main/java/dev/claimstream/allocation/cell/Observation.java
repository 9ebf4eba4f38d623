package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import java.util.List;

/**
 * An observation in the input of a cell.
 *
 * <p>Observations may be repeated, late, or reordered relative to those of other objects.
 */
public sealed interface Observation {
    /** An object was added or changed. */
    record ObjectUpserted(Stamp stamp, ClusterObject object) implements Observation {}

    /** An object was deleted. */
    record ObjectDeleted(Stamp stamp, Kind kind, ObjectKey key, String uid) implements Observation {}

    /**
     * On one partition of its topic, a source has published all objects of a kind for an epoch.
     *
     * <p>The list is complete once all partitions have reported.
     */
    record KindSynced(Stamp stamp, Kind kind, int partition, int partitions) implements Observation {}

    /** A source's view of a kind is stale until it lists again. */
    record KindStale(Stamp stamp, Kind kind) implements Observation {}

    /** A node stopped or resumed reporting. */
    record NodeLiveness(Stamp stamp, String node, boolean silent) implements Observation {}

    /**
     * The writer's outcome of a decision.
     *
     * @param claimVersion of a rejection: the claim version up to which it applies. It is the rejected version, or the
     *     version that the claim got when the writer cleared it; 0 if unknown
     */
    record CommitOutcome(String claimUid, long number, Result result, String message, long claimVersion)
            implements Observation {
        /**
         * The outcomes that matter to a cell. After any other outcome, another outcome or an update of the claim
         * follows. Names are stored.
         */
        public enum Result {
            /** The claim has the allocation. */
            COMMITTED,
            /** The claim does not have the allocation and will not get it by that decision. */
            REJECTED
        }
    }

    /**
     * The router leases an item to this cell, which replies with a {@link CellReport} for that attempt.
     *
     * @param uid UID of the pod or claim
     * @param number the cell's further decisions have higher numbers
     * @param deallocatable UIDs of claims whose devices the cell may count as free, if no node fits without that
     */
    record ItemAssigned(ItemId item, String uid, long attempt, long number, List<String> deallocatable)
            implements Observation {
        public ItemAssigned {
            deallocatable = List.copyOf(deallocatable);
        }
    }

    /**
     * The router declines an offer: the item is allocated elsewhere or waits for something else.
     *
     * <p>The cell drops the item until it is leased again.
     *
     * @param uid UID of the pod or claim
     */
    record OfferDeclined(ItemId item, String uid) implements Observation {}

    /** The router wants to move a node to another cell. */
    record NodeHandover(String node, long transfer) implements Observation {}

    /** New settings take effect. */
    record SettingsChanged(CellSettings settings) implements Observation {}

    /**
     * An earlier decision, replayed before all other inputs when a cell is rebuilt.
     *
     * <p>An allocation takes its devices again, a release frees them, and later decisions get higher numbers.
     */
    record DecisionRestored(Decision decision) implements Observation {}

    /** Time has passed. Rows whose deadline is over expire. */
    record Tick() implements Observation {}

    /**
     * A slice of unfinished work is due. The cell appends it to its own input while work is unfinished.
     *
     * @param number of the slice; a repeated number has no effect
     */
    record WorkSliceDue(long number) implements Observation {}

    /**
     * A probe asks for an answer once everything before it is decided. Sent on every partition, so that no earlier
     * record is missed.
     */
    record Probe(String id, int partition, int partitions) implements Observation {}
}

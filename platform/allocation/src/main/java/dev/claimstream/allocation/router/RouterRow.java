package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Rank;
import dev.claimstream.allocation.cell.Row;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.PoolId;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** A row of the router's state. The rows are the complete state. */
public sealed interface RouterRow {
    /** Returns the key, unique over all row types. */
    String key();

    /** An object, liveness or sync state from the public topics, in the format of a cell's row. Slices have no devices. */
    record ClusterStateRow(Row row) implements RouterRow {
        static String key(String key) {
            return "cluster-state/" + key;
        }

        @Override
        public String key() {
            return key(row.key());
        }
    }

    /**
     * A work item and its location.
     *
     * @param uid the UID of its pod or claim
     * @param claims its claims at the time of assignment; empty while the item is at the router
     * @param reason the last published reason why the item is pending; absent if none was published, or by a cell
     * @param message the message of that reason
     * @param reasons the last reason that each cell reported
     * @param ended UIDs of its claims that were deleted since the assignment; the cell may still make decisions on them
     */
    record ItemLocationRow(
            ItemId item,
            String uid,
            Rank rank,
            ItemLocation location,
            List<ObjectKey> claims,
            Optional<Reason> reason,
            String message,
            SortedMap<Integer, Explanation.ExplanationDetail.Pending> reasons,
            SortedSet<String> ended)
            implements RouterRow {
        public ItemLocationRow {
            claims = List.copyOf(claims);
            reasons = Collections.unmodifiableSortedMap(new TreeMap<>(reasons));
            ended = Collections.unmodifiableSortedSet(new TreeSet<>(ended));
        }

        static final RouterRowRange<ItemLocationRow> ALL = new RouterRowRange<>(ItemLocationRow.class, "item/");
        private static final SortedSet<String> NONE = Collections.emptySortedSet();

        static String key(ItemId item) {
            return ALL.key(item.kind() + "/" + item.key().namespace() + "/"
                    + item.key().name());
        }

        @Override
        public String key() {
            return key(item);
        }

        /** Returns the cell that the item is assigned to. */
        Optional<Integer> cell() {
            return switch (location) {
                case ItemLocation.AtRouter here -> Optional.empty();
                case ItemLocation.AssignedToCell to -> Optional.of(to.cell());
                case ItemLocation.AllocatedInCell allocated -> Optional.of(allocated.cell());
            };
        }

        /** Returns a builder of an item at the router, without a reason. */
        public static ItemLocationRowBuilder builder(ItemId item, String uid, Rank rank) {
            return new ItemLocationRowBuilder(item, uid, rank);
        }

        /** Returns a builder with the components of this record. */
        public ItemLocationRowBuilder toBuilder() {
            return builder(item, uid, rank)
                    .location(location)
                    .claims(claims)
                    .reason(reason)
                    .message(message)
                    .reasons(reasons)
                    .ended(ended);
        }

        /** Returns a copy that is located at the router. */
        ItemLocationRow atRouter(boolean blocked) {
            return toBuilder()
                    .location(new ItemLocation.AtRouter(blocked))
                    .claims(List.of())
                    .ended(NONE)
                    .build();
        }

        ItemLocationRow withAssignment(ItemLocation.AssignedToCell to, List<ObjectKey> with) {
            return toBuilder().location(to).claims(with).build();
        }

        ItemLocationRow withAllocation(ItemLocation.AllocatedInCell by) {
            return toBuilder()
                    .location(by)
                    .reason(Optional.empty())
                    .message("")
                    .reasons(Collections.emptySortedMap())
                    .build();
        }

        ItemLocationRow ended(String claimUid) {
            SortedSet<String> more = new TreeSet<>(ended);
            more.add(claimUid);
            return toBuilder().ended(more).build();
        }

        ItemLocationRow withoutDeletedClaims() {
            return toBuilder().ended(NONE).build();
        }

        ItemLocationRow withReasons(SortedMap<Integer, Explanation.ExplanationDetail.Pending> other) {
            return toBuilder().reasons(other).build();
        }

        /** Returns a copy without a published reason: a cell has published another one. */
        ItemLocationRow withoutReason() {
            return toBuilder().reason(Optional.empty()).message("").build();
        }

        ItemLocationRow withReason(Reason reason, String words) {
            return toBuilder().reason(Optional.of(reason)).message(words).build();
        }
    }

    sealed interface ItemLocation {
        /**
         * The item is at the router.
         *
         * @param blocked whether the item is dispatched as soon as an item with a common claim is decided
         */
        record AtRouter(boolean blocked) implements ItemLocation {}

        /**
         * The item is in a cell that has not decided it yet.
         *
         * @param attempt the number of the assignment
         * @param triedCells cells that have returned the item in this round
         * @param offers cells that have meanwhile offered to allocate the item
         * @param hasChanged whether the item has changed since it was assigned
         * @param deallocatable UIDs of claims whose devices the cells may count as free; empty in the first round, in
         *     which the item must fit without a deallocation
         * @param isUnfinished whether the cell has reported that its search continues in slices
         */
        record AssignedToCell(
                int cell,
                long attempt,
                SortedSet<Integer> triedCells,
                SortedSet<Integer> offers,
                boolean hasChanged,
                List<String> deallocatable,
                boolean isUnfinished)
                implements ItemLocation {
            public AssignedToCell {
                triedCells = Collections.unmodifiableSortedSet(new TreeSet<>(triedCells));
                offers = Collections.unmodifiableSortedSet(new TreeSet<>(offers));
                deallocatable = List.copyOf(deallocatable);
            }

            AssignedToCell withChange() {
                return new AssignedToCell(cell, attempt, triedCells, offers, true, deallocatable, isUnfinished);
            }

            AssignedToCell withUnfinishedWork() {
                return new AssignedToCell(cell, attempt, triedCells, offers, hasChanged, deallocatable, true);
            }

            AssignedToCell withOffer(int by) {
                SortedSet<Integer> more = new TreeSet<>(offers);
                more.add(by);
                return new AssignedToCell(cell, attempt, triedCells, more, hasChanged, deallocatable, isUnfinished);
            }
        }

        /** The item is in a cell that has allocated all its claims. */
        record AllocatedInCell(int cell, long attempt) implements ItemLocation {}
    }

    /**
     * A claim with an allocation that a cell has decided and not released.
     *
     * @param item the item for which the cell allocated
     */
    record BoundClaimRow(String claimUid, int cell, ItemId item) implements RouterRow {
        static String key(String claimUid) {
            return "bound/" + claimUid;
        }

        @Override
        public String key() {
            return key(claimUid);
        }
    }

    /**
     * The cells that receive the updates of an existing claim.
     *
     * @param cells empty if no item with the claim was assigned to a cell yet
     */
    record ClaimFanoutRow(ObjectKey claim, SortedSet<Integer> cells) implements RouterRow {
        public ClaimFanoutRow {
            cells = Collections.unmodifiableSortedSet(new TreeSet<>(cells));
        }

        static String key(ObjectKey claim) {
            return "claim-fanout/" + claim;
        }

        @Override
        public String key() {
            return key(claim);
        }
    }

    /**
     * The estimated number of free devices in a cell.
     *
     * <p>The value is the last reported number less the devices requested by items assigned since. It may be stale, which costs a wasted
     * assignment at most.
     */
    record FreeDevicesRow(int cell, long devices) implements RouterRow {
        static String key(int cell) {
            return "free/" + cell;
        }

        @Override
        public String key() {
            return key(cell);
        }
    }

    /**
     * The cell of a node.
     *
     * @param target the cell to which the node should move; equal to {@code cell} otherwise
     * @param transfer the number of the transfer in progress; 0 if none
     */
    record NodeRow(String node, int cell, int target, long transfer) implements RouterRow {
        static String key(String node) {
            return "node/" + node;
        }

        @Override
        public String key() {
            return key(node);
        }

        boolean isMoving() {
            return transfer != 0;
        }
    }

    /**
     * The cell of a pool.
     *
     * @param scopes node selections of the slices that several nodes can access, by slice name
     */
    record PoolRow(PoolId pool, int cell, SortedMap<String, NodeScope> scopes) implements RouterRow {
        public PoolRow {
            scopes = Collections.unmodifiableSortedMap(new TreeMap<>(scopes));
        }

        static String key(PoolId pool) {
            return "pool/" + pool.driver() + "/" + pool.pool();
        }

        @Override
        public String key() {
            return key(pool);
        }
    }

    /** The pool of a slice, and the node if the slice names one. The row routes the deletion of the slice. */
    record SliceRow(String name, PoolId pool, Optional<String> node) implements RouterRow {
        static String key(String name) {
            return "slice/" + name;
        }

        @Override
        public String key() {
            return key(name);
        }
    }

    /**
     * An observation that is deferred while a node is in transfer.
     *
     * @param node the node of the observation; {@link #NO_NODE} if the observation is deferred behind all earlier ones
     * @param number the position in the order of deferred observations
     */
    record DeferredObservationRow(String node, long number, Observation observation) implements RouterRow {
        static final String NO_NODE = "";

        boolean isOfNode() {
            return !node.equals(NO_NODE);
        }

        static RouterRowRange<DeferredObservationRow> allOf(String node) {
            return new RouterRowRange<>(DeferredObservationRow.class, "deferred/" + node + "/");
        }

        @Override
        public String key() {
            return allOf(node).key("%019d".formatted(number));
        }
    }

    /**
     * A probe in progress.
     *
     * @param arrived partitions of the input topics from which the probe has arrived
     * @param parts the number of these partitions
     * @param echoes cells that have processed everything before the probe; empty until the probe is sent to the cells
     */
    record RouterProbeRow(String id, SortedSet<Integer> arrived, int parts, SortedSet<Integer> echoes)
            implements RouterRow {
        public RouterProbeRow {
            arrived = Collections.unmodifiableSortedSet(new TreeSet<>(arrived));
            echoes = Collections.unmodifiableSortedSet(new TreeSet<>(echoes));
        }

        static final RouterRowRange<RouterProbeRow> ALL = new RouterRowRange<>(RouterProbeRow.class, "probe/");

        static String key(String id) {
            return ALL.key(id);
        }

        @Override
        public String key() {
            return key(id);
        }
    }

    /**
     * The counters of the router.
     *
     * @param decisions the highest decision number
     * @param attempts the last number of an attempt, transfer or deferred observation
     * @param offset the offset of the last input
     */
    record RouterCountRow(long decisions, long attempts, long offset) implements RouterRow {
        static final String KEY = "count";

        @Override
        public String key() {
            return KEY;
        }
    }
}

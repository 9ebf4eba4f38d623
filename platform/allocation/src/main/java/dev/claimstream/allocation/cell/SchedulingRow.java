package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A row of the scheduling queue: an item, or a pass over pending items. */
public sealed interface SchedulingRow extends Row {
    /**
     * A work item and its scheduling state.
     *
     * @param uid UID of the pod or claim
     * @param reason why the item is pending; absent once all its claims are allocated
     * @param allocationsBefore {@link CountRow#allocations} when the item became pending; the difference tells how many
     *     allocations have overtaken it
     * @param earmark the node that is reserved for it
     * @param thorough whether the larger search budget was used
     * @param textHash {@link TextHash} of the last explanation while the item is pending; 0 for none
     */
    record ItemRow(
            ItemId item,
            String uid,
            Rank rank,
            Optional<Reason> reason,
            String message,
            long allocationsBefore,
            Optional<String> earmark,
            boolean thorough,
            long textHash)
            implements SchedulingRow {
        static final RowRange<ItemRow> ALL = new RowRange<>(ItemRow.class, "item/");

        /** Returns a builder of an item without a reason, a message, an earmark and searches. */
        public static ItemRowBuilder builder(ItemId item, String uid, Rank rank) {
            return new ItemRowBuilder(item, uid, rank);
        }

        /** Returns a builder with the components of this record. */
        public ItemRowBuilder toBuilder() {
            return builder(item, uid, rank)
                    .reason(reason)
                    .message(message)
                    .allocationsBefore(allocationsBefore)
                    .earmark(earmark)
                    .thorough(thorough)
                    .textHash(textHash);
        }

        /** A new item. It is pending until it is attempted for the first time. */
        static ItemRow created(ItemId item, WorkItems.WorkItemSpec spec, long allocationsBefore) {
            return builder(item, spec.uid(), spec.rank())
                    .reason(Optional.of(Reason.SourcesNotSynced))
                    .message("not every source is synced")
                    .allocationsBefore(allocationsBefore)
                    .build();
        }

        /** The same item, pending for a reason. The earmark stays only if devices in use are the reason. */
        ItemRow pending(Explanation.ExplanationDetail.Pending detail, long hash) {
            Reason reason = detail.diagnosis().reason();
            return toBuilder()
                    .reason(Optional.of(reason))
                    .message(detail.diagnosis().message())
                    .earmark(earmark.filter(node -> reason.isResolvedByDeallocation()))
                    .textHash(hash)
                    .build();
        }

        /** The same item, overtaken by no allocation up to this count. */
        ItemRow withAllocationsBefore(long count) {
            return toBuilder().allocationsBefore(count).build();
        }

        /** The same item with all claims allocated. */
        ItemRow allocated(String because) {
            return toBuilder()
                    .reason(Optional.empty())
                    .message(because)
                    .earmark(Optional.empty())
                    .textHash(0)
                    .build();
        }

        /** The same item after the search with the larger budget. */
        ItemRow afterThoroughSearch() {
            return toBuilder().thorough(true).build();
        }

        /** The same item around a deallocation for it. The plan that needs it may be found only by another thorough search. */
        ItemRow withoutThoroughSearch() {
            return toBuilder().thorough(false).build();
        }

        /** The same item before an attempt under conditions that its earlier searches did not have. */
        ItemRow beforeNewConditions() {
            return toBuilder()
                    .reason(Optional.of(Reason.EvaluationPending))
                    .message("not evaluated yet: claims may be deallocated for it")
                    .thorough(false)
                    .build();
        }

        /** The same item with an earmarked node. */
        ItemRow withEarmark(String node) {
            return toBuilder().earmark(Optional.of(node)).build();
        }

        static RowKey<ItemRow> key(ItemId item) {
            return ALL.key(item);
        }

        @Override
        public String key() {
            return key(item).text();
        }

        /** Whether the item is pending. */
        public boolean isPending() {
            return reason.isPresent();
        }
    }

    /**
     * An item that the router leased to this cell.
     *
     * @param uid UID of the pod or claim
     * @param attempt number of the lease; the cell's reports carry it
     * @param isActive whether the lease is active; otherwise the item was returned and stays queued to be offered when it
     *     fits
     * @param isOffered whether this cell has offered the item; the offer is open until the lease is active
     * @param deallocatable UIDs of claims whose devices may count as free, for the lease and for later offers; empty
     *     after a lease of the first round and after a proposal
     */
    record LeaseRow(
            ItemId item, String uid, long attempt, boolean isActive, boolean isOffered, List<String> deallocatable)
            implements SchedulingRow {
        private static final RowRange<LeaseRow> ALL = new RowRange<>(LeaseRow.class, "lease/");

        public LeaseRow {
            deallocatable = List.copyOf(deallocatable);
        }

        /**
         * A new lease, which is active.
         *
         * @param isOffered whether this cell has offered the item
         */
        static LeaseRow active(Observation.ItemAssigned assigned, boolean isOffered) {
            return new LeaseRow(
                    assigned.item(), assigned.uid(), assigned.attempt(), true, isOffered, assigned.deallocatable());
        }

        /** Whether an offer of the item is open at the router. */
        boolean hasOpenOffer() {
            return isOffered && !isActive;
        }

        /** The same lease, returned to the router. */
        LeaseRow returned() {
            return new LeaseRow(item, uid, attempt, false, false, deallocatable);
        }

        /** The same lease, returned with a proposal. The router decides, so no offer repeats the proposal. */
        LeaseRow proposed() {
            return new LeaseRow(item, uid, attempt, false, false, List.of());
        }

        /** The same lease, returned, with an open offer. */
        LeaseRow offered() {
            return new LeaseRow(item, uid, attempt, false, true, deallocatable);
        }

        static RowKey<LeaseRow> key(ItemId item) {
            return ALL.key(item);
        }

        @Override
        public String key() {
            return key(item).text();
        }
    }

    /**
     * A node that an item avoids because its claims were cleared there before its pod was bound.
     *
     * @param uid UID of the pod
     * @param until end of the avoidance
     * @param claimVersion version of the claim when it was cleared; 0 if unknown
     */
    record AvoidedNodeRow(ItemId item, String uid, String node, Instant until, long claimVersion)
            implements SchedulingRow {
        private static final RowRange<AvoidedNodeRow> ALL = new RowRange<>(AvoidedNodeRow.class, "avoided-node/");

        static RowRange<AvoidedNodeRow> allOf(ItemId item) {
            return ALL.within(item);
        }

        @Override
        public String key() {
            return allOf(item).key(node).text();
        }
    }

    /**
     * An unfinished pass over pending items after a change.
     *
     * @param reasons the pass covers pending items with these reasons, in queue order
     * @param after rank of the last attempted item
     * @param next reasons of the following pass
     */
    record BacklogRow(Set<Reason> reasons, Optional<Rank> after, Set<Reason> next) implements SchedulingRow {
        static final RowKey<BacklogRow> KEY = new RowKey<>(BacklogRow.class, "backlog");

        public BacklogRow {
            reasons = Collections.unmodifiableSet(copyOf(reasons));
            next = Collections.unmodifiableSet(copyOf(next));
        }

        private static Set<Reason> copyOf(Set<Reason> reasons) {
            Set<Reason> copy = EnumSet.noneOf(Reason.class);
            copy.addAll(reasons);
            return copy;
        }

        @Override
        public String key() {
            return KEY.text();
        }
    }

    /**
     * A pass that explains pending items again after a change.
     *
     * @param beganAt start of the pass; before the start, time of the change
     * @param due when the next slice runs
     * @param after rank up to which the pass has come
     * @param slices number of slices done
     * @param isOutdated whether something has changed since the start
     * @param except items whose texts the pass did not renew
     */
    record RefreshRow(
            Instant beganAt, Instant due, Optional<Rank> after, int slices, boolean isOutdated, List<ItemId> except)
            implements SchedulingRow {
        static final RowKey<RefreshRow> KEY = new RowKey<>(RefreshRow.class, "refresh");

        public RefreshRow {
            except = List.copyOf(except);
        }

        /** A scheduled pass that has not started. */
        static RefreshRow of(Instant changed, Instant due) {
            return new RefreshRow(changed, due, Optional.empty(), 0, false, List.of());
        }

        boolean isBegun() {
            return slices > 0;
        }

        RefreshRow begin(Instant at) {
            return new RefreshRow(at, due, Optional.empty(), 1, false, List.of());
        }

        RefreshRow next(Instant later, Optional<Rank> last, List<ItemId> remaining) {
            return new RefreshRow(beganAt, later, last, slices + 1, isOutdated, remaining);
        }

        RefreshRow withChange() {
            return new RefreshRow(beganAt, due, after, slices, true, except);
        }

        @Override
        public String key() {
            return KEY.text();
        }
    }
}

package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.ExpressionResult;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ReadKey;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A row of the cell state.
 *
 * <p>Rows are the whole state: they are kept in the changelog, and everything else is derived from them. The last row
 * or tombstone of a key counts.
 */
public sealed interface Row {
    /** The key; unique across all row types. Its format is part of the changelog. */
    String key();

    /**
     * An object as last observed.
     *
     * @param content absent after the object was deleted; the version stays until the next complete list, so that a
     *     late record of the object has no effect
     */
    record ObjectRow(Kind kind, ObjectKey object, String uid, Stamp stamp, Optional<ClusterObject> content)
            implements Row {
        ObservedObject known() {
            return new ObservedObject(stamp, content);
        }

        static String prefix(Kind kind) {
            return "object/" + kind.apiName() + "/";
        }

        static String key(Kind kind, ObjectKey object) {
            return prefix(kind) + object.namespace() + "/" + object.name();
        }

        @Override
        public String key() {
            return key(kind, object);
        }
    }

    /** The liveness of a node, as its agent reports it. */
    record NodeLivenessRow(String node, Stamp stamp, boolean silent) implements Row {
        static String key(String node) {
            return "heard/" + node;
        }

        @Override
        public String key() {
            return key(node);
        }
    }

    /**
     * The list progress of a source for one kind.
     *
     * @param epoch the list in progress or completed
     * @param syncedPartitions partitions that have reported the end of the list
     * @param last the last complete list
     * @param stale whether the source's view is known to be outdated
     */
    record SourceRow(
            Kind kind, String source, long epoch, SortedSet<Integer> syncedPartitions, LastList last, boolean stale)
            implements Row {
        public SourceRow {
            syncedPartitions = Collections.unmodifiableSortedSet(new TreeSet<>(syncedPartitions));
        }

        static String key(Kind kind, String source) {
            return "source/" + kind.apiName() + "/" + source;
        }

        @Override
        public String key() {
            return key(kind, source);
        }
    }

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
            implements Row {
        /** The same item, pending for a reason. The earmark stays only if devices in use are the reason. */
        ItemRow pending(Explanation.ExplanationDetail.Pending detail, long hash) {
            Reason why = detail.diagnosis().reason();
            return new ItemRow(
                    item,
                    uid,
                    rank,
                    Optional.of(why),
                    detail.diagnosis().message(),
                    allocationsBefore,
                    earmark.filter(node -> why.isResolvedByDeallocation()),
                    thorough,
                    hash);
        }

        /** The same item, overtaken by no allocation up to this count. */
        ItemRow withAllocationsBefore(long count) {
            return new ItemRow(item, uid, rank, reason, message, count, earmark, thorough, textHash);
        }

        /** The same item with all claims allocated. */
        ItemRow allocated(String because) {
            return new ItemRow(
                    item, uid, rank, Optional.empty(), because, allocationsBefore, Optional.empty(), thorough, 0);
        }

        /** The same item after the search with the larger budget. */
        ItemRow afterThoroughSearch() {
            return new ItemRow(item, uid, rank, reason, message, allocationsBefore, earmark, true, textHash);
        }

        /** The same item with an earmarked node. */
        ItemRow withEarmark(String node) {
            return new ItemRow(
                    item, uid, rank, reason, message, allocationsBefore, Optional.of(node), thorough, textHash);
        }

        static String key(ItemId item) {
            return "item/" + item.kind() + "/" + item.key().namespace() + "/"
                    + item.key().name();
        }

        @Override
        public String key() {
            return key(item);
        }

        /** Whether the item is pending. */
        public boolean isPending() {
            return reason.isPresent();
        }
    }

    /**
     * An allocation that this cell decided for a claim. It counts while the claim's status has none.
     *
     * @param number of the decision, unique in the cell
     * @param node the node for which the devices were chosen
     * @param claimVersion version of the claim at the decision
     */
    record AllocationRow(
            ObjectKey claim,
            String claimUid,
            long number,
            ItemId item,
            String node,
            Allocation allocation,
            List<ClaimConsumer> reservedFor,
            long claimVersion,
            CommitState commitState)
            implements Row {
        public AllocationRow {
            reservedFor = List.copyOf(reservedFor);
        }

        /** How far the writer has committed the allocation. Names are stored in the changelog. */
        public enum CommitState {
            /** Decided, not yet confirmed by the writer. */
            DECIDED,
            /** The writer has confirmed the allocation in the claim's status. */
            COMMITTED,
            /** Revoked. The devices are free once the writer confirms that the claim does not have them. */
            REVOKED
        }

        AllocationRow with(CommitState other) {
            return new AllocationRow(claim, claimUid, number, item, node, allocation, reservedFor, claimVersion, other);
        }

        /** The same devices under a new decision for the current version of the claim. */
        AllocationRow withDecision(long newNumber, List<ClaimConsumer> consumers, long version) {
            return new AllocationRow(
                    claim, claimUid, newNumber, item, node, allocation, consumers, version, commitState);
        }

        Decision.DecisionResult.Allocated result() {
            return new Decision.DecisionResult.Allocated(node, allocation, reservedFor, claimVersion);
        }

        static String key(String claimUid) {
            return "grant/" + claimUid;
        }

        @Override
        public String key() {
            return key(claimUid);
        }
    }

    /**
     * The cluster rejected the allocation of a claim. The claim stays pending until it is changed.
     *
     * @param claimVersion the rejection applies to versions up to this one, including the writer's own writes; 0 for
     *     unknown: any change ends the rejection
     */
    record RejectionRow(String claimUid, String message, long claimVersion) implements Row {
        boolean appliesTo(long version) {
            return version <= claimVersion;
        }

        static String key(String claimUid) {
            return "refused/" + claimUid;
        }

        @Override
        public String key() {
            return key(claimUid);
        }
    }

    /**
     * A decided deallocation: the writer is to clear a claim's allocation.
     *
     * <p>The allocation keeps the only pod that uses the claim from every node that the pod could run on.
     *
     * @param number of the decision
     * @param claimVersion version of the claim at the decision; of a rejection, the version up to which it applies, 0
     *     for until any change
     * @param item the pod
     * @param podUid UID of the pod
     * @param rejection why the writer did not clear the claim; absent while the writer is to do it
     */
    record DeallocationRow(
            ObjectKey claim,
            String claimUid,
            long number,
            long claimVersion,
            ItemId item,
            String podUid,
            Optional<String> rejection)
            implements Row {
        static final String PREFIX = "deallocation/";

        /** Whether the writer still has to clear the claim. */
        boolean isActive() {
            return rejection.isEmpty();
        }

        DeallocationRow withRejection(String why, long upTo) {
            return new DeallocationRow(claim, claimUid, number, upTo, item, podUid, Optional.of(why));
        }

        static String key(String claimUid) {
            return PREFIX + claimUid;
        }

        @Override
        public String key() {
            return key(claimUid);
        }
    }

    /**
     * A node that an item avoids because its claims were cleared there before its pod was bound.
     *
     * @param uid UID of the pod
     * @param until end of the avoidance
     * @param claimVersion version of the claim when it was cleared; 0 if unknown
     */
    record AvoidedNodeRow(ItemId item, String uid, String node, Instant until, long claimVersion) implements Row {
        static final String PREFIX = "avoid/";

        static String prefix(ItemId item) {
            return PREFIX + item.kind() + "/" + item.key().namespace() + "/"
                    + item.key().name() + "/";
        }

        @Override
        public String key() {
            return prefix(item) + node;
        }
    }

    /**
     * Quarantine of the devices of a force-deleted pod, whose containers may still run.
     *
     * <p>The devices are not allocated, even if the claim is cleared.
     *
     * @param until end of the quarantine
     */
    record QuarantineRow(ObjectKey claim, String claimUid, Allocation allocation, Instant until) implements Row {
        static final String PREFIX = "cool/";

        static String key(String claimUid) {
            return PREFIX + claimUid;
        }

        @Override
        public String key() {
            return key(claimUid);
        }
    }

    /** An active alarm of a device. */
    record AlarmRow(Alarm alarm) implements Row {
        static final String PREFIX = "alarm/";

        static String prefix(PoolId pool) {
            return PREFIX + pool.driver() + "/" + pool.pool() + "/";
        }

        static String prefix(DeviceId device) {
            return prefix(device.poolId()) + device.device() + "/";
        }

        static String key(DeviceId device, Alarm.AlarmType sort) {
            return prefix(device) + sort;
        }

        @Override
        public String key() {
            return key(alarm.device(), alarm.type());
        }
    }

    /**
     * An item that the router leased to this cell.
     *
     * @param uid UID of the pod or claim
     * @param attempt number of the lease; the cell's reports carry it
     * @param isActive whether the lease is active; otherwise the item was returned and stays queued to be offered when it
     *     fits
     * @param isOffered whether an offer of the item is open at the router
     */
    record LeaseRow(ItemId item, String uid, long attempt, boolean isActive, boolean isOffered) implements Row {
        static String key(ItemId item) {
            return "lease/" + item.kind() + "/" + item.key().namespace() + "/"
                    + item.key().name();
        }

        @Override
        public String key() {
            return key(item);
        }
    }

    /**
     * A probe without an answer yet.
     *
     * @param slices work slices done since it arrived
     */
    record ProbeRow(String id, SortedSet<Integer> arrivedPartitions, int partitions, int slices) implements Row {
        public ProbeRow {
            arrivedPartitions = Collections.unmodifiableSortedSet(new TreeSet<>(arrivedPartitions));
        }

        static String key(String id) {
            return "probe/" + id;
        }

        /** The same probe after one more work slice. */
        ProbeRow afterSlice() {
            return new ProbeRow(id, arrivedPartitions, partitions, slices + 1);
        }

        @Override
        public String key() {
            return key(id);
        }
    }

    /**
     * Cached answers of one expression, split into parts of bounded size.
     *
     * <p>An answer has at most 1,000 characters.
     *
     * @param expression fingerprint of the expression
     * @param namespace of the item that needed the expression first
     * @param sinceOffset offset of the input that evaluated it first
     */
    record EvaluationRow(
            String expression,
            int part,
            String namespace,
            long sinceOffset,
            SortedMap<ReadKey, ExpressionResult> answers)
            implements Row {
        /** Maximum number of answers in one row. */
        static final int ANSWERS_MAX = 256;

        public EvaluationRow {
            answers = Collections.unmodifiableSortedMap(new TreeMap<>(answers));
        }

        static final String PREFIX = "evaluation/";

        static String key(String expression, int part) {
            return PREFIX + expression + "/" + part;
        }

        @Override
        public String key() {
            return key(expression, part);
        }
    }

    /**
     * The index of an item shape is complete and its cost is charged. From then on only node changes cost work.
     *
     * @param shape digest of the shape
     * @param namespace of the item that was charged
     * @param sinceOffset offset of the input that completed the index
     * @param counted {@link SliceChangesRow#devices} when the devices that pass the selectors were counted; -1 for never
     */
    record IndexRow(String shape, String namespace, long sinceOffset, long counted) implements Row {
        static final String PREFIX = "index/";

        static String key(String shape) {
            return PREFIX + shape;
        }

        @Override
        public String key() {
            return key(shape);
        }
    }

    /**
     * Progress of preparing the expressions of a shape: compiled, and compared with cached answers.
     *
     * @param expressions digest of the expressions
     * @param namespace of the item that was charged last
     * @param sinceOffset offset of the input that was charged last
     * @param compiled cost of the compiled expressions, roughly their characters
     * @param checked {@link SliceChangesRow#devices} up to which device answers were checked; -1 for never
     */
    record PreparationRow(String expressions, String namespace, long sinceOffset, long compiled, long checked)
            implements Row {
        static final String PREFIX = "preparation/";

        static String key(String expressions) {
            return PREFIX + expressions;
        }

        @Override
        public String key() {
            return key(expressions);
        }
    }

    /**
     * Counter of slice changes.
     *
     * @param devices devices of all slices that were added, changed or deleted; each change adds the devices before and
     *     after it
     */
    record SliceChangesRow(long devices) implements Row {
        static final String KEY = "slices";

        @Override
        public String key() {
            return KEY;
        }
    }

    /**
     * Unfinished work of an item.
     *
     * @param credit units charged for an index or a search that must complete in one piece
     * @param spent units charged in total
     * @param slices number of turns of the item
     */
    record WorkRow(ItemId item, Rank rank, long credit, long spent, int slices) implements Row {
        static final String PREFIX = "work/";

        static String key(ItemId item) {
            return PREFIX + item.kind() + "/" + item.key().namespace() + "/"
                    + item.key().name();
        }

        @Override
        public String key() {
            return key(item);
        }
    }

    /**
     * An unfinished pass over pending items after a change.
     *
     * @param reasons the pass covers pending items with these reasons, in queue order
     * @param after rank of the last attempted item
     * @param next reasons of the following pass
     */
    record BacklogRow(Set<Reason> reasons, Optional<Rank> after, Set<Reason> next) implements Row {
        static final String KEY = "backlog";

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
            return KEY;
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
            implements Row {
        static final String KEY = "refresh";

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

        RefreshRow next(Instant later, Optional<Rank> last, List<ItemId> left) {
            return new RefreshRow(beganAt, later, last, slices + 1, isOutdated, left);
        }

        RefreshRow withChange() {
            return new RefreshRow(beganAt, due, after, slices, true, except);
        }

        @Override
        public String key() {
            return KEY;
        }
    }

    /**
     * State of the work budget.
     *
     * @param reserve units that inputs may use beyond their own share; negative if overdrawn
     * @param at time of that reserve
     * @param turn namespace that had the last turn
     * @param slices slices done; the number of the next slice
     */
    record BudgetRow(long reserve, Instant at, String turn, long slices) implements Row {
        static final String KEY = "budget";

        @Override
        public String key() {
            return KEY;
        }
    }

    /** Time of the last {@link Output.WorkAlarmRaised} for a namespace. */
    record WorkAlarmRow(String namespace, Instant at) implements Row {
        static String key(String namespace) {
            return "work-alarm/" + namespace;
        }

        @Override
        public String key() {
            return key(namespace);
        }
    }

    /**
     * Counters of the cell.
     *
     * @param decisions number of the last decision
     * @param allocations items that were allocated new devices; earmarks count the allocations that overtake an item by it
     * @param offset offset of the last applied input
     */
    record CountRow(long decisions, long allocations, long offset) implements Row {
        static final String KEY = "count";

        @Override
        public String key() {
            return KEY;
        }
    }

    /** The settings in effect. */
    record SettingsRow(CellSettings settings) implements Row {
        static final String KEY = "settings";

        @Override
        public String key() {
            return KEY;
        }
    }
}

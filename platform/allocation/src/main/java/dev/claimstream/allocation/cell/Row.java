package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Answer;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Consumer;
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

/** A row of the state. The rows are all that is kept; everything else follows from them. */
public sealed interface Row {
    /** Its key, unique over all kinds of rows. */
    String key();

    /**
     * An object as it was last seen.
     *
     * @param object absent once it is gone; the version stays until the next complete list, so that a late word of it changes
     *     nothing
     */
    record ObjectRow(Kind kind, ObjectKey object, String uid, Stamp stamp, Optional<ClusterObject> content)
            implements Row {
        Known known() {
            return new Known(stamp, content);
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

    /** Whether a node is heard of. */
    record HeardRow(String node, Stamp stamp, boolean silent) implements Row {
        static String key(String node) {
            return "heard/" + node;
        }

        @Override
        public String key() {
            return key(node);
        }
    }

    /**
     * How far a source has listed a kind.
     *
     * @param epoch the listing that is under way or done
     * @param arrived the partitions from which its end has arrived
     * @param last the last complete listing
     */
    record SourceRow(Kind kind, String source, long epoch, SortedSet<Integer> arrived, LastList last, boolean stale)
            implements Row {
        public SourceRow {
            arrived = Collections.unmodifiableSortedSet(new TreeSet<>(arrived));
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
     * A work item and where it stands.
     *
     * @param uid of the pod or claim
     * @param reason why it waits; absent once everything is granted
     * @param waitingFrom the count of grants when it began to wait
     * @param earmark the node that is kept for it
     * @param thorough whether the larger effort was spent on it
     * @param textHash of all that was explained last while it waits ({@link TextHash}); 0 where nothing was
     */
    record ItemRow(
            ItemId item,
            String uid,
            Rank rank,
            Optional<Reason> reason,
            String message,
            long waitingFrom,
            Optional<String> earmark,
            boolean thorough,
            long textHash)
            implements Row {
        /** The same item, pending for this reason. */
        ItemRow pending(Explanation.Because.Waits because, long hash) {
            Reason why = because.diagnosis().reason();
            return new ItemRow(
                    item,
                    uid,
                    rank,
                    Optional.of(why),
                    because.diagnosis().message(),
                    waitingFrom,
                    earmark.filter(node -> why.isForHolders()),
                    thorough,
                    hash);
        }

        /** The same item, overtaken by no allocation up to this count of grants. */
        ItemRow overtakenFrom(long grants) {
            return new ItemRow(item, uid, rank, reason, message, grants, earmark, thorough, textHash);
        }

        /** The same item with everything allocated. */
        ItemRow served(String because) {
            return new ItemRow(item, uid, rank, Optional.empty(), because, waitingFrom, Optional.empty(), thorough, 0);
        }

        /** The same item after the larger search budget was spent on it. */
        ItemRow afterThoroughSearch() {
            return new ItemRow(item, uid, rank, reason, message, waitingFrom, earmark, true, textHash);
        }

        /** The same item with a node that is kept for it. */
        ItemRow keeping(String node) {
            return new ItemRow(item, uid, rank, reason, message, waitingFrom, Optional.of(node), thorough, textHash);
        }

        static String key(ItemId item) {
            return "item/" + item.sort() + "/" + item.key().namespace() + "/"
                    + item.key().name();
        }

        @Override
        public String key() {
            return key(item);
        }

        /** Whether it waits. */
        public boolean waits() {
            return reason.isPresent();
        }
    }

    /**
     * What we gave to a claim.
     *
     * @param number of the decision, unique in the cell
     * @param node for which it was solved
     * @param claimVersion of the claim as it was decided
     */
    record GrantRow(
            ObjectKey claim,
            String claimUid,
            long number,
            ItemId item,
            String node,
            Allocation allocation,
            List<Consumer> reservedFor,
            long claimVersion,
            Standing standing)
            implements Row {
        public GrantRow {
            reservedFor = List.copyOf(reservedFor);
        }

        /** How far it has come. */
        public enum Standing {
            /** We have said so. */
            GIVEN,
            /** The writer says that the claim has it. */
            COMMITTED,
            /** We have taken it back; it is free once the writer says that the claim does not have it. */
            REVOKED
        }

        GrantRow with(Standing other) {
            return new GrantRow(claim, claimUid, number, item, node, allocation, reservedFor, claimVersion, other);
        }

        /** The same devices, said anew for the claim as it is now. */
        GrantRow again(long anew, List<Consumer> consumers, long version) {
            return new GrantRow(claim, claimUid, anew, item, node, allocation, consumers, version, standing);
        }

        Decision.Verdict.Granted verdict() {
            return new Decision.Verdict.Granted(node, allocation, reservedFor, claimVersion);
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
     * The cluster did not take what we gave to a claim; nothing is tried again before somebody changes the claim.
     *
     * @param claimVersion up to which the claim is as it was refused, what was written for that included; 0 where that is not known, and
     *     any change counts
     */
    record RefusedRow(String claimUid, String message, long claimVersion) implements Row {
        boolean countsFor(long version) {
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
     * A deallocation that is decided: the writer is to clear the allocation of a claim, which keeps the only pod that uses it from every
     * node that the pod could use.
     *
     * @param number of the decision
     * @param claimVersion of the claim as it was decided; of a rejection, up to which it counts, 0 for until any change
     * @param item the pod
     * @param podUid of the pod
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

        /** Whether the writer is to clear the claim. */
        boolean isOrdered() {
            return rejection.isEmpty();
        }

        DeallocationRow rejected(String why, long upTo) {
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
     * A node has not taken an item after all: what its claims were given there was cleared while its pod was still to be bound.
     *
     * @param uid of the pod
     * @param until the item does not go there before
     * @param claimVersion of the claim as it was cleared; 0 where that is not known
     */
    record AvoidRow(ItemId item, String uid, String node, Instant until, long claimVersion) implements Row {
        static final String PREFIX = "avoid/";

        static String prefix(ItemId item) {
            return PREFIX + item.sort() + "/" + item.key().namespace() + "/"
                    + item.key().name() + "/";
        }

        @Override
        public String key() {
            return prefix(item) + node;
        }
    }

    /**
     * What a pod used that went by force, while it may still run: it is given to nobody, also where its claim is cleared.
     *
     * @param until nobody else gets the devices before
     */
    record CoolRow(ObjectKey claim, String claimUid, Allocation allocation, Instant until) implements Row {
        static final String PREFIX = "cool/";

        static String key(String claimUid) {
            return PREFIX + claimUid;
        }

        @Override
        public String key() {
            return key(claimUid);
        }
    }

    /** Something that is wrong with a device and goes on. */
    record AlarmRow(Alarm alarm) implements Row {
        static final String PREFIX = "alarm/";

        static String prefix(PoolId pool) {
            return PREFIX + pool.driver() + "/" + pool.pool() + "/";
        }

        static String prefix(DeviceId device) {
            return prefix(device.poolId()) + device.device() + "/";
        }

        static String key(DeviceId device, Alarm.Sort sort) {
            return prefix(device) + sort;
        }

        @Override
        public String key() {
            return key(alarm.device(), alarm.sort());
        }
    }

    /**
     * An item that the router lent to this cell.
     *
     * @param uid of the pod or claim
     * @param here whether it is here, to be served; otherwise it was given back and is looked out for
     * @param offered whether the router was told that it would fit
     */
    record LeaseRow(ItemId item, String uid, long attempt, boolean here, boolean offered) implements Row {
        static String key(ItemId item) {
            return "lease/" + item.sort() + "/" + item.key().namespace() + "/"
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
     * @param slices of work that were done since it arrived
     */
    record ProbeRow(String id, SortedSet<Integer> arrived, int partitions, int slices) implements Row {
        public ProbeRow {
            arrived = Collections.unmodifiableSortedSet(new TreeSet<>(arrived));
        }

        static String key(String id) {
            return "probe/" + id;
        }

        /** The same after one more slice of work. */
        ProbeRow afterSlice() {
            return new ProbeRow(id, arrived, partitions, slices + 1);
        }

        @Override
        public String key() {
            return key(id);
        }
    }

    /**
     * Paid answers of one expression, in parts of bounded size: an answer has at most 1,000 characters.
     *
     * @param expression fingerprint of the expression
     * @param namespace of the item that needed the expression first
     * @param since offset of the input that evaluated it first
     */
    record EvaluationRow(String expression, int part, String namespace, long since, SortedMap<ReadKey, Answer> answers)
            implements Row {
        /** Answers in one row. */
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
     * The index of a shape is paid: only changes of nodes are looked at from now on.
     *
     * @param shape digest of the shape
     * @param namespace of the item that paid
     * @param since offset of the input that completed it
     * @param counted devices of the {@link SlicesRow} when the devices that pass its selectors were counted; -1 for never
     */
    record IndexRow(String shape, String namespace, long since, long counted) implements Row {
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
     * How far the expressions of a question are prepared: compiled, and compared with the answers that are paid.
     *
     * @param expressions digest of the expressions
     * @param namespace of the item that paid last
     * @param since offset of the input that paid last
     * @param compiled cost of those that are compiled, about their characters
     * @param checked devices of the {@link SlicesRow} up to which the answers of devices were checked; -1 for never
     */
    record PreparationRow(String expressions, String namespace, long since, long compiled, long checked)
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
     * How much slices have changed.
     *
     * @param devices of all slices that appeared, changed or went so far, before and after each change
     */
    record SlicesRow(long devices) implements Row {
        static final String KEY = "slices";

        @Override
        public String key() {
            return KEY;
        }
    }

    /**
     * The work for an item that one input could not finish.
     *
     * @param credit units spent on an index or a search that have to be completed in one piece
     * @param spent units spent in all
     * @param slices how often the item had its turn
     */
    record WorkRow(ItemId item, Rank rank, long credit, long spent, int slices) implements Row {
        static final String PREFIX = "work/";

        static String key(ItemId item) {
            return PREFIX + item.sort() + "/" + item.key().namespace() + "/"
                    + item.key().name();
        }

        @Override
        public String key() {
            return key(item);
        }
    }

    /**
     * Pending items that are still to be looked at after a change.
     *
     * @param reasons the items of these reasons, in the order of the queue
     * @param after the last item that was looked at
     * @param next the reasons of the pass after this one
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
     * A pass that explains the pending items again, because something has changed since they were explained.
     *
     * @param begun when the pass began; before that, when the change was seen
     * @param due when the next slice of the pass runs
     * @param after the rank up to which the pass has come
     * @param slices how many slices of the pass have run
     * @param again whether something has changed since the pass began
     * @param except items whose texts the pass has left as they were
     */
    record RefreshRow(Instant begun, Instant due, Optional<Rank> after, int slices, boolean again, List<ItemId> except)
            implements Row {
        static final String KEY = "refresh";

        public RefreshRow {
            except = List.copyOf(except);
        }

        /** A pass that has not begun. */
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
            return new RefreshRow(begun, later, last, slices + 1, again, left);
        }

        RefreshRow changed() {
            return new RefreshRow(begun, due, after, slices, true, except);
        }

        @Override
        public String key() {
            return KEY;
        }
    }

    /**
     * The state of the work budget.
     *
     * @param reserve units that inputs may spend beyond their own, at that time
     * @param turn the namespace that had its turn last
     * @param slices how many slices were done; the number of the next one
     */
    record BudgetRow(long reserve, Instant at, String turn, long slices) implements Row {
        static final String KEY = "budget";

        @Override
        public String key() {
            return KEY;
        }
    }

    /** The last report of items of a namespace that need very much work. */
    record WorkAlarmRow(String namespace, Instant at) implements Row {
        static String key(String namespace) {
            return "work-alarm/" + namespace;
        }

        @Override
        public String key() {
            return key(namespace);
        }
    }

    /** Counters: decisions made, grants among them, and the offset of the last input that was applied. */
    record CountRow(long decisions, long grants, long offset) implements Row {
        static final String KEY = "count";

        @Override
        public String key() {
            return KEY;
        }
    }

    /** The settings. */
    record SettingsRow(Settings settings) implements Row {
        static final String KEY = "settings";

        @Override
        public String key() {
            return KEY;
        }
    }
}

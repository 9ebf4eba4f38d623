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

/** A row of the router's state. The rows are all that is kept. */
public sealed interface RouterRow {
    /** Its key, unique over all kinds of rows. */
    String key();

    /** What is known of the world, as a cell keeps it; without devices. */
    record WorldRow(Row row) implements RouterRow {
        static String key(String key) {
            return "world/" + key;
        }

        @Override
        public String key() {
            return key(row.key());
        }
    }

    /**
     * An item and where it is.
     *
     * @param uid of its pod or claim
     * @param claims its claims when it was sent; empty while it is here
     * @param reason why it waits or waited last; absent when it was never told
     * @param message of that reason
     * @param reasons what each cell said when it gave it back
     * @param ended uids of its claims that are gone since it was sent, on which its cell may have more to say
     */
    record ItemRow(
            ItemId item,
            String uid,
            Rank rank,
            At at,
            List<ObjectKey> claims,
            Optional<Reason> reason,
            String message,
            SortedMap<Integer, Explanation.Because.Waits> reasons,
            SortedSet<String> ended)
            implements RouterRow {
        public ItemRow {
            claims = List.copyOf(claims);
            reasons = Collections.unmodifiableSortedMap(new TreeMap<>(reasons));
            ended = Collections.unmodifiableSortedSet(new TreeSet<>(ended));
        }

        private static final SortedSet<String> NONE = Collections.emptySortedSet();

        static String key(ItemId item) {
            return "item/" + item.sort() + "/" + item.key().namespace() + "/"
                    + item.key().name();
        }

        @Override
        public String key() {
            return key(item);
        }

        /** The cell that it is in, if it is in one. */
        Optional<Integer> cell() {
            return switch (at) {
                case At.Router here -> Optional.empty();
                case At.Sent to -> Optional.of(to.cell());
                case At.Served served -> Optional.of(served.cell());
            };
        }

        /** Here again. */
        ItemRow back(boolean pending) {
            return new ItemRow(item, uid, rank, new At.Router(pending), List.of(), reason, message, reasons, NONE);
        }

        ItemRow sent(At.Sent to, List<ObjectKey> with) {
            return new ItemRow(item, uid, rank, to, with, reason, message, reasons, ended);
        }

        ItemRow served(At.Served by) {
            return new ItemRow(item, uid, rank, by, claims, Optional.empty(), "", new TreeMap<>(), ended);
        }

        ItemRow ended(String claimUid) {
            SortedSet<String> more = new TreeSet<>(ended);
            more.add(claimUid);
            return new ItemRow(item, uid, rank, at, claims, reason, message, reasons, more);
        }

        ItemRow heardOut() {
            return new ItemRow(item, uid, rank, at, claims, reason, message, reasons, NONE);
        }

        ItemRow with(SortedMap<Integer, Explanation.Because.Waits> other) {
            return new ItemRow(item, uid, rank, at, claims, reason, message, other, ended);
        }

        ItemRow told(Reason why, String words) {
            return new ItemRow(item, uid, rank, at, claims, Optional.of(why), words, reasons, ended);
        }
    }

    /** Where an item is; always in one place. */
    sealed interface At {
        /**
         * Here.
         *
         * @param pending whether it is to be sent once another item that uses one of its claims has come to an end
         */
        record Router(boolean pending) implements At {}

        /**
         * In a cell, to be served or to come back.
         *
         * @param tried cells that have given it back since anything about it changed
         * @param offers cells that said meanwhile that it would fit
         * @param again whether something about it has changed since it was sent
         */
        record Sent(int cell, long attempt, SortedSet<Integer> tried, SortedSet<Integer> offers, boolean again)
                implements At {
            public Sent {
                tried = Collections.unmodifiableSortedSet(new TreeSet<>(tried));
                offers = Collections.unmodifiableSortedSet(new TreeSet<>(offers));
            }

            Sent changed() {
                return new Sent(cell, attempt, tried, offers, true);
            }

            Sent offered(int by) {
                SortedSet<Integer> more = new TreeSet<>(offers);
                more.add(by);
                return new Sent(cell, attempt, tried, more, again);
            }
        }

        /** In a cell that has given it everything. */
        record Served(int cell, long attempt) implements At {}
    }

    /**
     * A claim that a cell has given something to.
     *
     * @param item for which
     */
    record BoundRow(String claimUid, int cell, ItemId item) implements RouterRow {
        static String key(String claimUid) {
            return "bound/" + claimUid;
        }

        @Override
        public String key() {
            return key(claimUid);
        }
    }

    /**
     * Which cells have heard of a claim that stands, and hear what becomes of it.
     *
     * @param cells none for one that was lent to nobody yet
     */
    record ToldRow(ObjectKey claim, SortedSet<Integer> cells) implements RouterRow {
        public ToldRow {
            cells = Collections.unmodifiableSortedSet(new TreeSet<>(cells));
        }

        static String key(ObjectKey claim) {
            return "told/" + claim;
        }

        @Override
        public String key() {
            return key(claim);
        }
    }

    /** How many devices nobody holds in a cell, as it said last, less what was sent to it since. It may be old, and that costs a trip. */
    record FreeRow(int cell, long devices) implements RouterRow {
        static String key(int cell) {
            return "free/" + cell;
        }

        @Override
        public String key() {
            return key(cell);
        }
    }

    /**
     * Which cell a node is in.
     *
     * @param wanted the cell in which it should be
     * @param transfer the number of the transfer that is under way, 0 for none
     */
    record NodeRow(String node, int cell, int wanted, long transfer) implements RouterRow {
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
     * Which cell a pool is in.
     *
     * @param scopes of its slices that more than one node can reach, by name
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

    /** Which pool a slice is of, and which node alone it names, if it does; so that its end finds the way. */
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
     * An observation that waits for a node that is being moved.
     *
     * @param node that it is about, {@link #NO_NODE} for what waits for all that came before it
     * @param number its place among those that wait
     */
    record HeldBackRow(String node, long number, Observation observation) implements RouterRow {
        static final String NO_NODE = "";

        boolean isOfNode() {
            return !node.equals(NO_NODE);
        }

        static String prefix(String node) {
            return "held-back/" + node + "/";
        }

        @Override
        public String key() {
            return prefix(node) + "%019d".formatted(number);
        }
    }

    /**
     * A probe on its way.
     *
     * @param echoes cells that have looked at everything before it; empty before it was sent to them
     */
    record ProbeRow(String id, SortedSet<Integer> arrived, int parts, SortedSet<Integer> echoes) implements RouterRow {
        public ProbeRow {
            arrived = Collections.unmodifiableSortedSet(new TreeSet<>(arrived));
            echoes = Collections.unmodifiableSortedSet(new TreeSet<>(echoes));
        }

        static String key(String id) {
            return "probe/" + id;
        }

        @Override
        public String key() {
            return key(id);
        }
    }

    /** Counters: the highest number of a decision, attempts, transfers and observations held back, and the last input. */
    record CountRow(long decisions, long attempts, long offset) implements RouterRow {
        static final String KEY = "count";

        @Override
        public String key() {
            return KEY;
        }
    }
}

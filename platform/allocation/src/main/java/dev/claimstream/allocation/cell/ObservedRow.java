package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** A row of observed state: an object, the liveness of a node, or the list progress of a source. */
public sealed interface ObservedRow extends Row {
    /**
     * An object as last observed.
     *
     * @param content absent after the object was deleted; the version stays until the next complete list, so that a
     *     late record of the object has no effect
     */
    record ObjectRow(Kind kind, ObjectKey object, String uid, Stamp stamp, Optional<ClusterObject> content)
            implements ObservedRow {
        /** Objects are read very often, so their prefixes are made once. */
        private static final Map<Kind, RowRange<ObjectRow>> OF_KIND = rangesByKind();

        private static Map<Kind, RowRange<ObjectRow>> rangesByKind() {
            var ranges = new EnumMap<Kind, RowRange<ObjectRow>>(Kind.class);
            for (Kind kind : Kind.values()) {
                ranges.put(kind, new RowRange<>(ObjectRow.class, "object/" + kind.apiName() + "/"));
            }
            return Collections.unmodifiableMap(ranges);
        }

        ObservedObject known() {
            return new ObservedObject(stamp, content);
        }

        /** The same object with other content. */
        ObjectRow withContent(ClusterObject other) {
            return new ObjectRow(kind, object, uid, stamp, Optional.of(other));
        }

        /** The same object, confirmed by a later list. */
        ObjectRow withStamp(Stamp other) {
            return new ObjectRow(kind, object, uid, other, content);
        }

        static RowRange<ObjectRow> allOf(Kind kind) {
            return Objects.requireNonNull(OF_KIND.get(kind));
        }

        static RowKey<ObjectRow> key(Kind kind, ObjectKey object) {
            return allOf(kind).key(object);
        }

        @Override
        public String key() {
            return key(kind, object).text();
        }
    }

    /** The liveness of a node, as its agent reports it. */
    record NodeLivenessRow(String node, Stamp stamp, boolean silent) implements ObservedRow {
        private static final RowRange<NodeLivenessRow> ALL = new RowRange<>(NodeLivenessRow.class, "node-liveness/");

        static RowKey<NodeLivenessRow> key(String node) {
            return ALL.key(node);
        }

        @Override
        public String key() {
            return key(node).text();
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
            implements ObservedRow {
        private static final RowRange<SourceRow> ALL = new RowRange<>(SourceRow.class, "source/");

        public SourceRow {
            syncedPartitions = Collections.unmodifiableSortedSet(new TreeSet<>(syncedPartitions));
        }

        /** No list has begun. */
        static SourceRow unlisted(Kind kind, String source) {
            return new SourceRow(kind, source, 0, new TreeSet<>(), LastList.NONE, false);
        }

        /** The same source with an outdated view. */
        SourceRow markedStale() {
            return new SourceRow(kind, source, epoch, syncedPartitions, last, true);
        }

        static RowKey<SourceRow> key(Kind kind, String source) {
            return ALL.within(kind.apiName()).key(source);
        }

        @Override
        public String key() {
            return key(kind, source).text();
        }
    }
}

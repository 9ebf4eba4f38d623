package dev.claimstream.console;

import dev.claimstream.allocation.cell.LastList;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.ObservedObject;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The latest version of each cluster object in the public topics.
 * The rules for stale records and for the sweep after a complete list are those of the cell, so that both know the same objects. It is
 * not thread-safe; {@link ClusterView} synchronises it.
 */
final class ClusterObjects {
    private final Map<Kind, NavigableMap<ObjectKey, ObservedObject>> objects = new EnumMap<>(Kind.class);
    private final Map<ListSource, ListProgress> progress = new HashMap<>();
    private final Map<String, NodeLivenessState> liveness = new HashMap<>();

    private record ListSource(Kind kind, String source) {}

    /**
     * The progress of a source's list of one kind.
     *
     * @param arrived partitions whose end-of-list marker was read
     * @param last the last complete list
     */
    private record ListProgress(long epoch, SortedSet<Integer> arrived, LastList last) {}

    private record NodeLivenessState(long version, boolean silent) {}

    ClusterObjects() {
        for (Kind kind : Kind.values()) {
            objects.put(kind, new TreeMap<>());
        }
    }

    /** Returns all objects of a kind, ordered by key. */
    Stream<ClusterObject> all(Kind kind) {
        return of(kind).values().stream().map(ObservedObject::content).flatMap(Optional::stream);
    }

    Optional<ClusterObject> find(Kind kind, ObjectKey key) {
        return Optional.ofNullable(of(kind).get(key)).flatMap(ObservedObject::content);
    }

    /** Returns the source of a claim; empty if the claim is unknown. */
    Optional<String> source(ResourceClaim claim) {
        return Optional.ofNullable(of(Kind.RESOURCE_CLAIM).get(claim.key()))
                .map(known -> known.stamp().source());
    }

    /** Returns whether the liveness check reports a node as silent. */
    boolean isSilent(String node) {
        return liveness.getOrDefault(node, new NodeLivenessState(0, false)).silent();
    }

    /** Applies an observation and returns the keys of the changed claims. */
    List<ObjectKey> observe(Observation observation) {
        return switch (observation) {
            case Observation.ObjectUpserted upserted -> upsert(upserted);
            case Observation.ObjectDeleted deleted -> delete(deleted);
            case Observation.KindSynced synced -> markSynced(synced);
            case Observation.NodeLiveness each -> updateLiveness(each);
            case Observation.KindStale _,
                    Observation.CommitOutcome _,
                    Observation.ItemAssigned _,
                    Observation.OfferDeclined _,
                    Observation.NodeHandover _,
                    Observation.SettingsChanged _,
                    Observation.DecisionRestored _,
                    Observation.Tick _,
                    Observation.WorkSliceDue _,
                    Observation.Probe _ -> List.of();
        };
    }

    private NavigableMap<ObjectKey, ObservedObject> of(Kind kind) {
        return objects.getOrDefault(kind, new TreeMap<>());
    }

    private List<ObjectKey> upsert(Observation.ObjectUpserted upserted) {
        Stamp stamp = upserted.stamp();
        ClusterObject object = upserted.object();
        Map<ObjectKey, ObservedObject> all = of(object.kind());
        Optional<ObservedObject> known = Optional.ofNullable(all.get(object.key()));
        boolean isUpdated = known.isEmpty()
                ? !isSwept(stamp, object.kind())
                : known.get().isUpdatedBy(upserted) && !isSuperseded(known.get(), stamp, object.kind());
        if (!isUpdated) {
            known.ifPresent(each -> all.put(object.key(), each.confirmedBy(stamp)));
            return List.of();
        }
        all.put(object.key(), new ObservedObject(mergedStamp(stamp, known), Optional.of(object)));
        return claim(object.kind(), object.key());
    }

    private boolean isSuperseded(ObservedObject known, Stamp stamp, Kind kind) {
        return known.stamp().source().equals(stamp.source()) && isSwept(stamp, kind);
    }

    private static Stamp mergedStamp(Stamp news, Optional<ObservedObject> known) {
        return known.map(each -> each.mergedStamp(news)).orElse(news);
    }

    private static List<ObjectKey> claim(Kind kind, ObjectKey key) {
        return kind == Kind.RESOURCE_CLAIM ? List.of(key) : List.of();
    }

    /** Returns whether a record is older than a complete list, which contains the last state of every object up to its version. */
    private boolean isSwept(Stamp stamp, Kind kind) {
        ListProgress source = progress.get(new ListSource(kind, stamp.source()));
        return source != null && source.last().supersedes(stamp);
    }

    private List<ObjectKey> delete(Observation.ObjectDeleted deleted) {
        Optional<ObservedObject> known = Optional.ofNullable(of(deleted.kind()).get(deleted.key()));
        boolean counts = known.isEmpty()
                ? !isSwept(deleted.stamp(), deleted.kind())
                : known.get().isDeletedBy(deleted) && !isSuperseded(known.get(), deleted.stamp(), deleted.kind());
        if (!counts) {
            known.filter(each -> each.content().isEmpty())
                    .ifPresent(each -> of(deleted.kind()).put(deleted.key(), each.confirmedBy(deleted.stamp())));
            return List.of();
        }
        of(deleted.kind())
                .put(deleted.key(), new ObservedObject(mergedStamp(deleted.stamp(), known), Optional.empty()));
        return claim(deleted.kind(), deleted.key());
    }

    private List<ObjectKey> markSynced(Observation.KindSynced synced) {
        Stamp stamp = synced.stamp();
        var source = new ListSource(synced.kind(), stamp.source());
        ListProgress known = progress.getOrDefault(source, new ListProgress(0, new TreeSet<>(), LastList.NONE));
        if (stamp.epoch() < known.epoch() || stamp.epoch() <= known.last().epoch()) {
            return List.of();
        }
        var arrived = new TreeSet<>(stamp.epoch() == known.epoch() ? known.arrived() : new TreeSet<Integer>());
        arrived.add(synced.partition());
        boolean isComplete = arrived.size() >= synced.partitions();
        LastList last = isComplete ? LastList.of(stamp) : known.last();
        progress.put(source, new ListProgress(stamp.epoch(), arrived, last));
        return isComplete ? sweep(source, last, known.last()) : List.of();
    }

    /** Removes the objects of a source that its complete list does not contain, and old tombstones. Returns the removed claims. */
    private List<ObjectKey> sweep(ListSource source, LastList list, LastList before) {
        List<ObjectKey> swept = new ArrayList<>();
        of(source.kind()).entrySet().removeIf(entry -> {
            ObservedObject known = entry.getValue();
            boolean isOld = known.stamp().source().equals(source.source()) && list.sweeps(known.stamp(), before);
            if (isOld && known.content().isPresent()) {
                swept.addAll(claim(source.kind(), entry.getKey()));
            }
            return isOld;
        });
        return swept;
    }

    private List<ObjectKey> updateLiveness(Observation.NodeLiveness report) {
        NodeLivenessState known = liveness.get(report.node());
        if (known == null || report.stamp().version() > known.version()) {
            liveness.put(report.node(), new NodeLivenessState(report.stamp().version(), report.silent()));
        }
        return List.of();
    }
}

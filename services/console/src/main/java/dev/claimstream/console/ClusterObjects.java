package dev.claimstream.console;

import dev.claimstream.allocation.cell.Known;
import dev.claimstream.allocation.cell.LastList;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
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
 * not thread-safe; {@link World} synchronises it.
 */
final class ClusterObjects {
    private final Map<Kind, NavigableMap<ObjectKey, Known>> objects = new EnumMap<>(Kind.class);
    private final Map<Teller, Progress> progress = new HashMap<>();
    private final Map<String, Heard> heard = new HashMap<>();

    private record Teller(Kind kind, String source) {}

    /**
     * The progress of a source's list of one kind.
     *
     * @param arrived partitions whose end-of-list marker was read
     * @param last the last complete list
     */
    private record Progress(long epoch, SortedSet<Integer> arrived, LastList last) {}

    private record Heard(long version, boolean silent) {}

    ClusterObjects() {
        for (Kind kind : Kind.values()) {
            objects.put(kind, new TreeMap<>());
        }
    }

    /** Returns all objects of a kind, ordered by key. */
    Stream<ClusterObject> all(Kind kind) {
        return of(kind).values().stream().map(Known::content).flatMap(Optional::stream);
    }

    Optional<ClusterObject> find(Kind kind, ObjectKey key) {
        return Optional.ofNullable(of(kind).get(key)).flatMap(Known::content);
    }

    /** Returns whether the liveness check reports a node as silent. */
    boolean isSilent(String node) {
        return heard.getOrDefault(node, new Heard(0, false)).silent();
    }

    /** Applies an observation and returns the keys of the changed claims. */
    List<ObjectKey> observe(Observation observation) {
        return switch (observation) {
            case Observation.Seen seen -> put(seen);
            case Observation.Gone gone -> end(gone);
            case Observation.Listed listed -> listed(listed);
            case Observation.Heard each -> hear(each);
            case Observation.Stale _,
                    Observation.Carried _,
                    Observation.Assigned _,
                    Observation.Declined _,
                    Observation.HandOver _,
                    Observation.Configured _,
                    Observation.Restored _,
                    Observation.Tick _,
                    Observation.Continue _,
                    Observation.Probe _ -> List.of();
        };
    }

    private NavigableMap<ObjectKey, Known> of(Kind kind) {
        return objects.getOrDefault(kind, new TreeMap<>());
    }

    private List<ObjectKey> put(Observation.Seen seen) {
        Stamp stamp = seen.stamp();
        ClusterObject object = seen.object();
        Map<ObjectKey, Known> all = of(object.kind());
        Optional<Known> known = Optional.ofNullable(all.get(object.key()));
        if (known.isEmpty() ? isSwept(stamp, object.kind()) : !known.get().isNews(seen)) {
            known.ifPresent(each -> all.put(object.key(), each.shownAgain(stamp)));
            return List.of();
        }
        all.put(object.key(), new Known(shownBy(stamp, known), Optional.of(object)));
        return claim(object.kind(), object.key());
    }

    private static Stamp shownBy(Stamp news, Optional<Known> known) {
        return known.map(each -> each.shownBy(news)).orElse(news);
    }

    private static List<ObjectKey> claim(Kind kind, ObjectKey key) {
        return kind == Kind.RESOURCE_CLAIM ? List.of(key) : List.of();
    }

    /** Returns whether a record about an unknown object is stale: older than a complete list without the object. */
    private boolean isSwept(Stamp stamp, Kind kind) {
        Progress source = progress.get(new Teller(kind, stamp.source()));
        return source != null && source.last().hasOvertaken(stamp);
    }

    private List<ObjectKey> end(Observation.Gone gone) {
        Optional<Known> known = Optional.ofNullable(of(gone.kind()).get(gone.key()));
        boolean counts = known.isEmpty()
                ? !isSwept(gone.stamp(), gone.kind())
                : known.get().isEnd(gone);
        if (!counts) {
            known.filter(each -> each.content().isEmpty())
                    .ifPresent(each -> of(gone.kind()).put(gone.key(), each.shownAgain(gone.stamp())));
            return List.of();
        }
        of(gone.kind()).put(gone.key(), new Known(shownBy(gone.stamp(), known), Optional.empty()));
        return claim(gone.kind(), gone.key());
    }

    private List<ObjectKey> listed(Observation.Listed listed) {
        Stamp stamp = listed.stamp();
        var teller = new Teller(listed.kind(), stamp.source());
        Progress known = progress.getOrDefault(teller, new Progress(0, new TreeSet<>(), LastList.NONE));
        if (stamp.epoch() < known.epoch() || stamp.epoch() <= known.last().epoch()) {
            return List.of();
        }
        var arrived = new TreeSet<>(stamp.epoch() == known.epoch() ? known.arrived() : new TreeSet<Integer>());
        arrived.add(listed.partition());
        boolean isComplete = arrived.size() >= listed.partitions();
        LastList last = isComplete ? new LastList(stamp.epoch(), stamp.version()) : known.last();
        progress.put(teller, new Progress(stamp.epoch(), arrived, last));
        return isComplete ? sweep(teller, last, known.last()) : List.of();
    }

    /** Removes the objects of a source that its complete list does not contain, and old tombstones. Returns the removed claims. */
    private List<ObjectKey> sweep(Teller teller, LastList list, LastList before) {
        List<ObjectKey> swept = new ArrayList<>();
        of(teller.kind()).entrySet().removeIf(entry -> {
            Known known = entry.getValue();
            boolean isOld = known.stamp().source().equals(teller.source()) && list.sweeps(known.stamp(), before);
            if (isOld && known.content().isPresent()) {
                swept.addAll(claim(teller.kind(), entry.getKey()));
            }
            return isOld;
        });
        return swept;
    }

    private List<ObjectKey> hear(Observation.Heard said) {
        Heard known = heard.get(said.node());
        if (known == null || said.stamp().version() > known.version()) {
            heard.put(said.node(), new Heard(said.stamp().version(), said.silent()));
        }
        return List.of();
    }
}

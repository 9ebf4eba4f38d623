package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** Simulates an API server and its watcher: versioned objects, and the observations of their changes. */
final class World {
    static final String SOURCE = "api";

    private static final int ONE = 3;

    private final SortedMap<String, Live> objects = new TreeMap<>();
    private final SortedMap<Kind, Long> epochs = new TreeMap<>();
    private final SortedMap<String, Long> heard = new TreeMap<>();
    private final NavigableMap<Long, AllocationTiming> timings = new TreeMap<>();
    private final List<Observation> out;
    private final boolean hasTwoWatchers;
    private boolean isEldersTurn;
    private long version;
    private long uids;

    private World(List<Observation> out, boolean hasTwoWatchers) {
        this.out = out;
        this.hasTwoWatchers = hasTwoWatchers;
    }

    /** @param out receives the observations */
    World(List<Observation> out) {
        this(out, false);
    }

    /** Creates a simulation with two watchers. Either or both report a change. */
    static World watchedByTwo(List<Observation> out) {
        return new World(out, true);
    }

    /** An existing object with its previous version. */
    private record Live(ClusterObject object, long version, Optional<Live> before) {}

    private static String key(Kind kind, ObjectKey key) {
        return kind + "/" + key;
    }

    private Stamp stamp(Kind kind, long of) {
        long youngest = epochs.getOrDefault(kind, 1L);
        return stamp(kind, isEldersTurn ? youngest - 1 : youngest, of);
    }

    private Stamp stamp(Kind kind, long epoch, long of) {
        return kind == Kind.RESOURCE_CLAIM
                ? new Stamp(
                        SOURCE,
                        epoch,
                        of,
                        Optional.ofNullable(timings.floorEntry(epoch))
                                .map(Map.Entry::getValue)
                                .orElse(AllocationTiming.IMMEDIATE))
                : new Stamp(SOURCE, epoch, of);
    }

    /** Sets the allocation timing of claims, from the next list of claims on, or at once before the first list. */
    void allocate(AllocationTiming timing) {
        timings.put(
                Optional.ofNullable(epochs.get(Kind.RESOURCE_CLAIM))
                        .map(epoch -> epoch + 1)
                        .orElse(0L),
                timing);
    }

    /** Runs changes that are reported only by a watcher with the previous list epoch. */
    void toldByTheElder(Runnable happening) {
        isEldersTurn = true;
        happening.run();
        isEldersTurn = false;
    }

    String freshUid() {
        return "uid-" + ++uids;
    }

    /** Writes an object and reports it. */
    void write(ClusterObject object) {
        String key = key(object.kind(), object.key());
        Optional<Live> before = Optional.ofNullable(objects.get(key))
                .map(each -> new Live(each.object, each.version, Optional.empty()));
        objects.put(key, new Live(object, ++version, before));
        long now = version;
        tell(stamp -> new Observation.ObjectUpserted(stamp, object), object.kind(), now);
    }

    private void tell(Function<Stamp, Observation> word, Kind kind, long now) {
        Stamp youngest = stamp(kind, now);
        Stamp elder = stamp(kind, Math.max(1, youngest.epoch() - 1), now);
        switch (hasTwoWatchers ? Math.floorMod(now, 4) : ONE) {
            case 0 -> out.add(word.apply(elder));
            case 1 -> out.addAll(List.of(word.apply(elder), word.apply(youngest)));
            case 2 -> out.addAll(List.of(word.apply(youngest), word.apply(elder)));
            default -> out.add(word.apply(youngest));
        }
    }

    /** Replaces an object without a new version, as after a changed interpretation. The next list reports it. */
    void reread(ClusterObject object) {
        objects.computeIfPresent(
                key(object.kind(), object.key()), (_, live) -> new Live(object, live.version, live.before));
    }

    /**
     * Deletes an object.
     *
     * @param isNoticed whether the watcher reports the deletion
     */
    void delete(Kind kind, ObjectKey key, boolean isNoticed) {
        Live gone = objects.remove(key(kind, key));
        version++;
        if (gone != null && isNoticed) {
            tell(
                    stamp -> new Observation.ObjectDeleted(
                            stamp, kind, key, gone.object.meta().uid()),
                    kind,
                    version);
        }
    }

    /**
     * Relists a kind.
     *
     * @param lags whether the list may contain the previous version of objects
     */
    void list(Kind kind, Random random, boolean lags, int partitions) {
        if (!isEldersTurn) {
            epochs.merge(kind, 2L, (old, two) -> old + 1);
        }
        List<Live> shown = new ArrayList<>(of(kind));
        Collections.shuffle(shown, random);
        for (Live each : shown) {
            Live old = lags && random.nextBoolean() ? each.before.orElse(each) : each;
            out.add(new Observation.ObjectUpserted(stamp(kind, old.version), old.object));
        }
        for (int partition = 0; partition < partitions; partition++) {
            out.add(new Observation.KindSynced(stamp(kind, version), kind, partition, partitions));
        }
    }

    /** Reports that the watcher's objects of a kind are stale. */
    void stale(Kind kind) {
        out.add(new Observation.KindStale(stamp(kind, 0), kind));
    }

    /** Reports the liveness of a node. */
    void hear(String node, boolean silent) {
        long next = heard.merge(node, 1L, Long::sum);
        out.add(new Observation.NodeLiveness(new Stamp("agent", 1, next), node, silent));
    }

    /** The version of the last write. */
    long version() {
        return version;
    }

    private List<Live> of(Kind kind) {
        return List.copyOf(
                objects.subMap(kind + "/", kind + "/" + Character.MAX_VALUE).values());
    }

    /** The existing objects of a kind. */
    List<ClusterObject> standing(Kind kind) {
        return of(kind).stream().map(Live::object).toList();
    }

    /** The object with a key, cast to its type; empty if it does not exist. */
    <T extends ClusterObject> Optional<T> at(Kind kind, ObjectKey key, Class<T> type) {
        return Optional.ofNullable(objects.get(key(kind, key)))
                .map(Live::object)
                .map(type::cast);
    }
}

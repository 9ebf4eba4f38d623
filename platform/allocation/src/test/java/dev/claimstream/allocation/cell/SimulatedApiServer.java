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
final class SimulatedApiServer {
    static final String SOURCE = "api";

    private static final int ONE_WATCHER = 3;

    private final SortedMap<String, ObjectRevision> objects = new TreeMap<>();
    private final SortedMap<Kind, Long> epochs = new TreeMap<>();
    private final SortedMap<String, Long> livenessVersions = new TreeMap<>();
    private final NavigableMap<Long, AllocationTiming> timings = new TreeMap<>();
    private final List<Observation> observations;
    private final boolean hasTwoWatchers;
    private boolean usesPreviousEpoch;
    private long version;
    private long uids;

    private SimulatedApiServer(List<Observation> out, boolean hasTwoWatchers) {
        this.observations = out;
        this.hasTwoWatchers = hasTwoWatchers;
    }

    /** @param out receives the observations */
    SimulatedApiServer(List<Observation> out) {
        this(out, false);
    }

    /** Creates a simulation with two watchers. Either or both report a change. */
    static SimulatedApiServer withTwoWatchers(List<Observation> out) {
        return new SimulatedApiServer(out, true);
    }

    /** An existing object with its previous version. */
    private record ObjectRevision(ClusterObject object, long version, Optional<ObjectRevision> previous) {}

    private static String key(Kind kind, ObjectKey key) {
        return kind + "/" + key;
    }

    private Stamp stamp(Kind kind, long objectVersion) {
        long newest = epochs.getOrDefault(kind, 1L);
        return stamp(kind, usesPreviousEpoch ? newest - 1 : newest, objectVersion);
    }

    private Stamp stamp(Kind kind, long epoch, long objectVersion) {
        return kind == Kind.RESOURCE_CLAIM
                ? new Stamp(
                        SOURCE,
                        epoch,
                        objectVersion,
                        Optional.ofNullable(timings.floorEntry(epoch))
                                .map(Map.Entry::getValue)
                                .orElse(AllocationTiming.IMMEDIATE))
                : new Stamp(SOURCE, epoch, objectVersion);
    }

    /** Sets the allocation timing of claims, from the next list of claims on, or at once before the first list. */
    void setAllocationTiming(AllocationTiming timing) {
        timings.put(
                Optional.ofNullable(epochs.get(Kind.RESOURCE_CLAIM))
                        .map(epoch -> epoch + 1)
                        .orElse(0L),
                timing);
    }

    /** Runs changes that are reported only by a watcher with the previous list epoch. */
    void runWithPreviousEpoch(Runnable happening) {
        usesPreviousEpoch = true;
        happening.run();
        usesPreviousEpoch = false;
    }

    String nextUid() {
        return "uid-" + ++uids;
    }

    /** Writes an object and reports it. */
    void write(ClusterObject object) {
        String key = key(object.kind(), object.key());
        Optional<ObjectRevision> before = Optional.ofNullable(objects.get(key))
                .map(each -> new ObjectRevision(each.object, each.version, Optional.empty()));
        objects.put(key, new ObjectRevision(object, ++version, before));
        long now = version;
        report(stamp -> new Observation.ObjectUpserted(stamp, object), object.kind(), now);
    }

    private void report(Function<Stamp, Observation> factory, Kind kind, long now) {
        Stamp newest = stamp(kind, now);
        Stamp older = stamp(kind, Math.max(1, newest.epoch() - 1), now);
        switch (hasTwoWatchers ? Math.floorMod(now, 4) : ONE_WATCHER) {
            case 0 -> observations.add(factory.apply(older));
            case 1 -> observations.addAll(List.of(factory.apply(older), factory.apply(newest)));
            case 2 -> observations.addAll(List.of(factory.apply(newest), factory.apply(older)));
            default -> observations.add(factory.apply(newest));
        }
    }

    /** Replaces an object without a new version, as after a changed interpretation. The next list reports it. */
    void replaceWithoutVersion(ClusterObject object) {
        objects.computeIfPresent(
                key(object.kind(), object.key()), (_, live) -> new ObjectRevision(object, live.version, live.previous));
    }

    /**
     * Deletes an object.
     *
     * @param isNoticed whether the watcher reports the deletion
     */
    void delete(Kind kind, ObjectKey key, boolean isNoticed) {
        ObjectRevision deleted = objects.remove(key(kind, key));
        version++;
        if (deleted != null && isNoticed) {
            report(
                    stamp -> new Observation.ObjectDeleted(
                            stamp, kind, key, deleted.object.meta().uid()),
                    kind,
                    version);
        }
    }

    /**
     * Relists a kind.
     *
     * @param lags whether the list may contain the previous version of objects
     */
    void relist(Kind kind, Random random, boolean lags, int partitions) {
        if (!usesPreviousEpoch) {
            epochs.merge(kind, 2L, (old, two) -> old + 1);
        }
        List<ObjectRevision> listed = new ArrayList<>(stored(kind));
        Collections.shuffle(listed, random);
        for (ObjectRevision each : listed) {
            ObjectRevision old = lags && random.nextBoolean() ? each.previous.orElse(each) : each;
            observations.add(new Observation.ObjectUpserted(stamp(kind, old.version), old.object));
        }
        for (int partition = 0; partition < partitions; partition++) {
            observations.add(new Observation.KindSynced(stamp(kind, version), kind, partition, partitions));
        }
    }

    /** Reports that the watcher's objects of a kind are stale. */
    void reportStale(Kind kind) {
        observations.add(new Observation.KindStale(stamp(kind, 0), kind));
    }

    /** Reports the liveness of a node. */
    void reportLiveness(String node, boolean silent) {
        long next = livenessVersions.merge(node, 1L, Long::sum);
        observations.add(new Observation.NodeLiveness(new Stamp("agent", 1, next), node, silent));
    }

    /** The version of the last write. */
    long version() {
        return version;
    }

    private List<ObjectRevision> stored(Kind kind) {
        return List.copyOf(
                objects.subMap(kind + "/", kind + "/" + Character.MAX_VALUE).values());
    }

    /** The existing objects of a kind. */
    List<ClusterObject> objectsOf(Kind kind) {
        return stored(kind).stream().map(ObjectRevision::object).toList();
    }

    /** The object with a key, cast to its type; empty if it does not exist. */
    <T extends ClusterObject> Optional<T> find(Kind kind, ObjectKey key, Class<T> type) {
        return Optional.ofNullable(objects.get(key(kind, key)))
                .map(ObjectRevision::object)
                .map(type::cast);
    }
}

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

/** An API server and its watcher: objects with versions, and the observations that a change leads to. */
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

    /** @param out where observations are written */
    World(List<Observation> out) {
        this(out, false);
    }

    /** The same with two watchers, of which either or both tell a change. */
    static World watchedByTwo(List<Observation> out) {
        return new World(out, true);
    }

    /** An object that stands, and what it was like one version before. */
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

    /** From its next list of claims on, or from the beginning where there was none, the cluster has this rule for its claims. */
    void allocate(AllocationTiming timing) {
        timings.put(
                Optional.ofNullable(epochs.get(Kind.RESOURCE_CLAIM))
                        .map(epoch -> epoch + 1)
                        .orElse(0L),
                timing);
    }

    /** What happens meanwhile, only a watcher tells that has listed before the last list. */
    void toldByTheElder(Runnable happening) {
        isEldersTurn = true;
        happening.run();
        isEldersTurn = false;
    }

    String freshUid() {
        return "uid-" + ++uids;
    }

    /** An object is written, and watched. */
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

    /** An object is to be understood otherwise, though nobody wrote it; the next list shows it so. */
    void reread(ClusterObject object) {
        objects.computeIfPresent(
                key(object.kind(), object.key()), (_, live) -> new Live(object, live.version, live.before));
    }

    /** An object is deleted; whether the watcher notices, the caller says. */
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

    /** The watcher lists a kind again; a list may lag behind what the watcher has seen before. */
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

    /** The watcher's view of a kind is known to be old. */
    void stale(Kind kind) {
        out.add(new Observation.KindStale(stamp(kind, 0), kind));
    }

    /** Somebody hears of a node, or does not. */
    void hear(String node, boolean silent) {
        long next = heard.merge(node, 1L, Long::sum);
        out.add(new Observation.NodeLiveness(new Stamp("agent", 1, next), node, silent));
    }

    /** The version of what was written last. */
    long version() {
        return version;
    }

    private List<Live> of(Kind kind) {
        return List.copyOf(
                objects.subMap(kind + "/", kind + "/" + Character.MAX_VALUE).values());
    }

    /** What stands, of one kind. */
    List<ClusterObject> standing(Kind kind) {
        return of(kind).stream().map(Live::object).toList();
    }

    /** The object at a place, where it is of this type. */
    <T extends ClusterObject> Optional<T> at(Kind kind, ObjectKey key, Class<T> type) {
        return Optional.ofNullable(objects.get(key(kind, key)))
                .map(Live::object)
                .map(type::cast);
    }
}

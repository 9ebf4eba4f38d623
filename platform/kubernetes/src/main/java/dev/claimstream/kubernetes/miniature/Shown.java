package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.Versioned;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** Watch cache: the durable objects and the last changes of each kind. Safe for use by several threads. */
final class Shown {
    private static final int CHANGES_AT_ONCE = 256;

    private final Lock lock = new ReentrantLock();
    private final Condition more = lock.newCondition();
    private final Map<Kind, Past> pasts = new EnumMap<>(Kind.class);
    private final Map<Watching, Long> podWatches = new HashMap<>();
    private final int historyMax;
    private long version;

    /**
     * Creates an empty cache.
     *
     * @param historyMax changes per kind that the cache remembers
     */
    Shown(int historyMax) {
        this.historyMax = historyMax;
        for (Kind kind : Kind.values()) {
            pasts.put(kind, new Past());
        }
    }

    /** Objects and changes of one kind. Changes up to the compacted version are forgotten. */
    private static final class Past {
        private final NavigableMap<ObjectKey, Stored> standing = new TreeMap<>();
        private final NavigableMap<Long, Event> changes = new TreeMap<>();
        private long forgotten;
    }

    /** What a watch delivers next. */
    sealed interface Next {
        record Changes(List<Event> changes) implements Next {}

        /** The history no longer reaches back to the version of the watch, or the version is in the future. */
        record Missed(String why) implements Next {}

        record Closed() implements Next {}
    }

    /** Replaces the content by durable objects and starts a new history. */
    void begin(Collection<Stored> kept, long upTo) {
        lock.lock();
        try {
            kept.forEach(stored -> past(stored).standing.put(stored.id().key(), stored));
            pasts.values().forEach(past -> past.forgotten = upTo);
            version = upTo;
        } finally {
            lock.unlock();
        }
    }

    /** Publishes durable changes to readers and watches. */
    void tell(List<Event> changes, long upTo) {
        lock.lock();
        try {
            changes.forEach(this::tell);
            version = Math.max(version, upTo);
            more.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void tell(Event change) {
        Stored stored = change.object();
        Past past = past(stored);
        if (change.gone()) {
            past.standing.remove(stored.id().key());
        } else {
            past.standing.put(stored.id().key(), stored);
        }
        past.changes.put(stored.version(), change);
        while (past.changes.size() > historyMax) {
            past.forgotten = past.changes.pollFirstEntry().getKey();
        }
    }

    /** Returns the changes from the cached objects to the durable ones. */
    List<Event> upTo(World world) {
        lock.lock();
        try {
            List<Event> changes = new ArrayList<>();
            Map<ObjectId, Stored> before = new HashMap<>();
            pasts.values().forEach(past -> past.standing.values().forEach(stored -> before.put(stored.id(), stored)));
            for (Stored kept : world.all()) {
                Stored shown = before.remove(kept.id());
                if (shown == null || shown.version() != kept.version()) {
                    changes.add(new Event(kept, false));
                }
            }
            before.values().stream()
                    .sorted(Comparator.comparingLong(Stored::version))
                    .forEach(gone -> changes.add(
                            new Event(new Stored(gone.object(), world.nextVersion(), gone.outside()), true)));
            changes.sort(Comparator.comparingLong(change -> change.object().version()));
            return changes;
        } finally {
            lock.unlock();
        }
    }

    private Past past(Stored stored) {
        return past(stored.object().kind());
    }

    private Past past(Kind kind) {
        Past past = pasts.get(kind);
        if (past == null) {
            throw new IllegalStateException("kind %s has no past".formatted(kind));
        }
        return past;
    }

    ClusterWatch.Listed list(Kind kind) {
        lock.lock();
        try {
            return new ClusterWatch.Listed(
                    past(kind).standing.values().stream().map(Stored::versioned).toList(), version);
        } finally {
            lock.unlock();
        }
    }

    Optional<Versioned> find(Kind kind, ObjectKey key) {
        lock.lock();
        try {
            return Optional.ofNullable(past(kind).standing.get(key)).map(Stored::versioned);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for changes of a kind after a version.
     *
     * <p>A change of a claim waits until every watch of pods has delivered the earlier changes of pods. Otherwise a claim that was released
     * because its pod finished would look like a claim that its pod still needs.
     *
     * @param watch the calling watch; it has delivered everything up to {@code after}
     */
    Next next(Watching watch, Kind kind, long after, BooleanSupplier isClosed) throws InterruptedException {
        lock.lock();
        try {
            Past past = past(kind);
            noteTold(watch, kind, after);
            while (!isClosed.getAsBoolean()) {
                if (after < past.forgotten) {
                    return new Next.Missed("version %d is too old: changes are remembered from version %d on"
                            .formatted(after, past.forgotten));
                }
                if (after > version) {
                    return new Next.Missed("version %d is not reached yet, this is %d".formatted(after, version));
                }
                long before = kind == Kind.RESOURCE_CLAIM ? firstPodToTell() : Long.MAX_VALUE;
                List<Event> changes = past.changes.subMap(after, false, Math.max(before, after), true).values().stream()
                        .limit(CHANGES_AT_ONCE)
                        .toList();
                if (!changes.isEmpty()) {
                    return new Next.Changes(changes);
                }
                more.await();
            }
            return new Next.Closed();
        } finally {
            lock.unlock();
        }
    }

    private void noteTold(Watching watch, Kind kind, long upTo) {
        if (kind == Kind.POD && !Objects.equals(podWatches.put(watch, upTo), upTo)) {
            more.signalAll();
        }
    }

    /** Returns the version of the first change of a pod that some watch has not delivered. */
    private long firstPodToTell() {
        NavigableMap<Long, Event> pods = past(Kind.POD).changes;
        return podWatches.values().stream()
                .map(pods::higherKey)
                .filter(Objects::nonNull)
                .mapToLong(Long::longValue)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Removes a watch. */
    void leave(Watching watch) {
        lock.lock();
        try {
            if (podWatches.remove(watch) != null) {
                more.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Wakes all waiting watches, so that they check whether they are closed. */
    void wake() {
        lock.lock();
        try {
            more.signalAll();
        } finally {
            lock.unlock();
        }
    }
}

package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.VersionedObject;
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
final class WatchCache {
    private static final int POLL_MAX = 256;

    private final Lock lock = new ReentrantLock();
    private final Condition changeAvailable = lock.newCondition();
    private final Map<Kind, KindHistory> histories = new EnumMap<>(Kind.class);
    private final Map<MiniatureWatch, Long> podWatches = new HashMap<>();
    private final int historyMax;
    private long version;

    /**
     * Creates an empty cache.
     *
     * @param historyMax changes per kind that the cache remembers
     */
    WatchCache(int historyMax) {
        this.historyMax = historyMax;
        for (Kind kind : Kind.values()) {
            histories.put(kind, new KindHistory());
        }
    }

    /** Objects and changes of one kind. Changes up to the compacted version are forgotten. */
    private static final class KindHistory {
        private final NavigableMap<ObjectKey, StoredObject> objects = new TreeMap<>();
        private final NavigableMap<Long, ObjectChange> changes = new TreeMap<>();
        private long compactedVersion;
    }

    /** What a watch delivers next. */
    sealed interface PollResult {
        record NewChanges(List<ObjectChange> changes) implements PollResult {}

        /** The history no longer reaches back to the version of the watch, or the version is in the future. */
        record Expired(String message) implements PollResult {}

        record Closed() implements PollResult {}
    }

    /** Replaces the content by durable objects and starts a new history. */
    void load(Collection<StoredObject> persisted, long upTo) {
        lock.lock();
        try {
            persisted.forEach(stored -> history(stored).objects.put(stored.id().key(), stored));
            histories.values().forEach(history -> history.compactedVersion = upTo);
            version = upTo;
        } finally {
            lock.unlock();
        }
    }

    /** Publishes durable changes to readers and watches. */
    void publish(List<ObjectChange> changes, long upTo) {
        lock.lock();
        try {
            changes.forEach(this::publish);
            version = Math.max(version, upTo);
            changeAvailable.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void publish(ObjectChange change) {
        StoredObject stored = change.object();
        KindHistory history = history(stored);
        if (change.isDeleted()) {
            history.objects.remove(stored.id().key());
        } else {
            history.objects.put(stored.id().key(), stored);
        }
        history.changes.put(stored.version(), change);
        while (history.changes.size() > historyMax) {
            history.compactedVersion = history.changes.pollFirstEntry().getKey();
        }
    }

    /** Returns the changes from the cached objects to the durable ones. */
    List<ObjectChange> changesTo(ClusterState state) {
        lock.lock();
        try {
            List<ObjectChange> changes = new ArrayList<>();
            Map<ObjectId, StoredObject> before = new HashMap<>();
            histories
                    .values()
                    .forEach(history -> history.objects.values().forEach(stored -> before.put(stored.id(), stored)));
            for (StoredObject current : state.all()) {
                StoredObject visible = before.remove(current.id());
                if (visible == null || visible.version() != current.version()) {
                    changes.add(new ObjectChange(current, false));
                }
            }
            before.values().stream()
                    .sorted(Comparator.comparingLong(StoredObject::version))
                    .forEach(deleted -> changes.add(new ObjectChange(
                            new StoredObject(deleted.object(), state.nextVersion(), deleted.unresolvedUids()), true)));
            changes.sort(Comparator.comparingLong(change -> change.object().version()));
            return changes;
        } finally {
            lock.unlock();
        }
    }

    private KindHistory history(StoredObject stored) {
        return history(stored.object().kind());
    }

    private KindHistory history(Kind kind) {
        KindHistory history = histories.get(kind);
        if (history == null) {
            throw new IllegalStateException("kind %s has no history".formatted(kind));
        }
        return history;
    }

    ClusterWatch.ObjectList list(Kind kind) {
        lock.lock();
        try {
            return new ClusterWatch.ObjectList(
                    history(kind).objects.values().stream()
                            .map(StoredObject::versionedObject)
                            .toList(),
                    version);
        } finally {
            lock.unlock();
        }
    }

    Optional<VersionedObject> find(Kind kind, ObjectKey key) {
        lock.lock();
        try {
            return Optional.ofNullable(history(kind).objects.get(key)).map(StoredObject::versionedObject);
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
    PollResult poll(MiniatureWatch watch, Kind kind, long after, BooleanSupplier isClosed) throws InterruptedException {
        lock.lock();
        try {
            KindHistory history = history(kind);
            recordDelivered(watch, kind, after);
            while (!isClosed.getAsBoolean()) {
                if (after < history.compactedVersion) {
                    return new PollResult.Expired("version %d is too old: changes are remembered from version %d on"
                            .formatted(after, history.compactedVersion));
                }
                if (after > version) {
                    return new PollResult.Expired(
                            "version %d is in the future, the current version is %d".formatted(after, version));
                }
                long before = kind == Kind.RESOURCE_CLAIM ? firstUndeliveredPodChange() : Long.MAX_VALUE;
                List<ObjectChange> changes =
                        history.changes.subMap(after, false, Math.max(before, after), true).values().stream()
                                .limit(POLL_MAX)
                                .toList();
                if (!changes.isEmpty()) {
                    return new PollResult.NewChanges(changes);
                }
                changeAvailable.await();
            }
            return new PollResult.Closed();
        } finally {
            lock.unlock();
        }
    }

    private void recordDelivered(MiniatureWatch watch, Kind kind, long upTo) {
        if (kind == Kind.POD && !Objects.equals(podWatches.put(watch, upTo), upTo)) {
            changeAvailable.signalAll();
        }
    }

    /** Returns the version of the first change of a pod that some watch has not delivered. */
    private long firstUndeliveredPodChange() {
        NavigableMap<Long, ObjectChange> pods = history(Kind.POD).changes;
        return podWatches.values().stream()
                .map(pods::higherKey)
                .filter(Objects::nonNull)
                .mapToLong(Long::longValue)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Removes a watch. */
    void unsubscribe(MiniatureWatch watch) {
        lock.lock();
        try {
            if (podWatches.remove(watch) != null) {
                changeAvailable.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Wakes all waiting watches, so that they check whether they are closed. */
    void wake() {
        lock.lock();
        try {
            changeAvailable.signalAll();
        } finally {
            lock.unlock();
        }
    }
}

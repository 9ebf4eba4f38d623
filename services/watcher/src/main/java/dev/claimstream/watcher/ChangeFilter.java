package dev.claimstream.watcher;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Drops updates of pods and nodes that change nothing that Claimstream reads.
 *
 * <p>An API server reports every heartbeat and condition of these objects. Other kinds pass: every version of a claim
 * matters, and slices are large and rarely change without effect. Remembers a limited number of objects; an update of
 * an evicted object passes. Not thread-safe.
 */
final class ChangeFilter {
    private static final Set<Kind> KINDS = EnumSet.of(Kind.POD, Kind.NODE);

    private final int capacity;
    private final Map<String, ClusterObject> objects = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, ClusterObject> eldest) {
            return size() > capacity;
        }
    };

    /** Remembers at most this number of objects; the one that changed longest ago is evicted first. */
    ChangeFilter(int capacity) {
        this.capacity = capacity;
    }

    /** Whether the object differs from its last update, or that update is not remembered. Remembers the object. */
    boolean isChanged(String key, ClusterObject object) {
        return !object.equals(remember(key, object));
    }

    /** Remembers an object and returns its previous state, if that is remembered. */
    @Nullable
    ClusterObject remember(String key, ClusterObject object) {
        return KINDS.contains(object.kind()) ? objects.put(key, object) : null;
    }

    /** Forgets an object that is deleted. */
    void forget(String key) {
        objects.remove(key);
    }

    /** Forgets all objects before a new list. */
    void clear() {
        objects.clear();
    }
}

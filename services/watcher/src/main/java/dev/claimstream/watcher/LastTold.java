package dev.claimstream.watcher;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What was told last of pods and nodes, as far as it is remembered. An API server tells every heartbeat and every condition of theirs;
 * most of it changes nothing that we read. Of other kinds nothing is remembered: the version of a claim is news by itself, slices are
 * large and seldom change for nothing. Not for use by several threads.
 */
final class LastTold {
    private static final Set<Kind> KINDS = EnumSet.of(Kind.POD, Kind.NODE);

    private final int most;
    private final Map<String, ClusterObject> objects = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, ClusterObject> eldest) {
            return size() > most;
        }
    };

    /** Remembers {@code most} objects, those that changed last. */
    LastTold(int most) {
        this.most = most;
    }

    /** Whether an object is not as it was told last, or nobody remembers; from now on it counts as told. */
    boolean isNews(String key, ClusterObject object) {
        return !object.equals(remember(key, object));
    }

    /** Counts as told from now on; what was told of it before, where that is remembered. */
    @Nullable
    ClusterObject remember(String key, ClusterObject object) {
        return KINDS.contains(object.kind()) ? objects.put(key, object) : null;
    }

    /** It is gone, or nobody knows what of it is kept. */
    void forget(String key) {
        objects.remove(key);
    }

    /** Everything is told again. */
    void clear() {
        objects.clear();
    }
}

package dev.claimstream.kubernetes.api;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A bounded cache of objects that a watch has reported and a write may need soon. Entries may be stale.
 *
 * <p>It holds only objects that wait for a write. Safe for use by several threads.
 *
 * @param <K> key of an object
 * @param <V> cached object
 */
final class RecentCache<K, V> {
    private static final int ENTRIES_MAX = 50_000;

    private final Map<K, V> entries = new ConcurrentHashMap<>();

    /** Caches an object. A new object is ignored while the cache is full; its reader then asks the server. */
    void put(K key, V value) {
        if (entries.size() < ENTRIES_MAX || entries.containsKey(key)) {
            entries.put(key, value);
        }
    }

    Optional<V> get(K key) {
        return Optional.ofNullable(entries.get(key));
    }

    void clear() {
        entries.clear();
    }

    /** Removes an object that may have changed. */
    void invalidate(K key) {
        entries.remove(key);
    }
}

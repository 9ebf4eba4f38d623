package dev.claimstream.kubernetes.api;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a watch of this process has seen and a write will want soon, so that it need not be asked for: no more than what waits for a
 * write. It may be behind.
 *
 * @param <K> its name
 * @param <V> what it was
 */
final class Recent<K, V> {
    private static final int HELD_MAX = 50_000;

    private final Map<K, V> held = new ConcurrentHashMap<>();

    /** It stands so. Beyond the limit it is not held, and will be asked for. */
    void put(K key, V value) {
        if (held.size() < HELD_MAX || held.containsKey(key)) {
            held.put(key, value);
        }
    }

    Optional<V> get(K key) {
        return Optional.ofNullable(held.get(key));
    }

    /** Nothing is known any more. */
    void clear() {
        held.clear();
    }

    /** It may stand otherwise. */
    void drop(K key) {
        held.remove(key);
    }
}

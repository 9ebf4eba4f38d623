package dev.claimstream.selectors;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** A cache of values computed from texts; it evicts the least recently used entry. Thread-safe. */
final class LruCache<T> {
    private final Function<String, T> factory;
    private final Map<String, T> entries;

    LruCache(int textsMax, Function<String, T> factory) {
        this.factory = factory;
        this.entries = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, T> eldest) {
                return size() > textsMax;
            }
        };
    }

    /** Returns the value of a text. Threads may compute the same value concurrently; all get the first result. */
    T get(String text) {
        synchronized (entries) {
            T known = entries.get(text);
            if (known != null) {
                return known;
            }
        }
        T created = factory.apply(text);
        synchronized (entries) {
            T earlier = entries.putIfAbsent(text, created);
            return earlier == null ? created : earlier;
        }
    }
}

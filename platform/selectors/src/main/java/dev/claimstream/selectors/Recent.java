package dev.claimstream.selectors;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** A cache of values computed from texts; it evicts the least recently used entry. Thread-safe. */
final class Recent<T> {
    private final Function<String, T> make;
    private final Map<String, T> kept;

    Recent(int textsMax, Function<String, T> make) {
        this.make = make;
        this.kept = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, T> eldest) {
                return size() > textsMax;
            }
        };
    }

    /** Returns the value of a text. Threads may compute the same value concurrently; all get the first result. */
    T get(String text) {
        synchronized (kept) {
            T known = kept.get(text);
            if (known != null) {
                return known;
            }
        }
        T made = make.apply(text);
        synchronized (kept) {
            T earlier = kept.putIfAbsent(text, made);
            return earlier == null ? made : earlier;
        }
    }
}

package dev.claimstream.history;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/** Rows of the fold by their key, with the keys that have changed since the last flush. Not safe for several threads. */
final class StateTable<V> {
    private final Map<String, V> rows = new HashMap<>();
    private final Set<String> changed = new HashSet<>();

    Optional<V> get(String key) {
        return Optional.ofNullable(rows.get(key));
    }

    Collection<V> all() {
        return rows.values();
    }

    void put(String key, V row) {
        V before = rows.put(key, row);
        if (!row.equals(before)) {
            changed.add(key);
        }
    }

    Optional<V> remove(String key) {
        Optional<V> before = Optional.ofNullable(rows.remove(key));
        before.ifPresent(_ -> changed.add(key));
        return before;
    }

    /** Adds a row that is stored already. */
    void restore(String key, V row) {
        rows.put(key, row);
    }

    /** Passes each changed key with its row, or without one if it was removed. */
    void drain(BiConsumer<String, Optional<V>> action) {
        changed.forEach(key -> action.accept(key, get(key)));
        changed.clear();
    }
}

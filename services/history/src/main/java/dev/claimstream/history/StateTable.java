package dev.claimstream.history;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** Rows of the fold by their key, with the keys that have changed since the last flush. Not safe for several threads. */
final class StateTable<V> {
    private final Map<String, V> rows = new HashMap<>();
    private final Set<String> changed = new HashSet<>();
    private final Set<String> stored = new HashSet<>();

    /** Receives a changed row. */
    interface ChangeConsumer<V> {
        /**
         * Takes a change.
         *
         * @param row empty if the row was removed
         * @param isStored whether an earlier flush has stored a row with this key
         */
        void accept(String key, Optional<V> row, boolean isStored);
    }

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

    /** Removes the rows that meet a condition. */
    void removeIf(Predicate<V> condition) {
        List<String> keys = rows.entrySet().stream()
                .filter(each -> condition.test(each.getValue()))
                .map(Map.Entry::getKey)
                .toList();
        keys.forEach(this::remove);
    }

    /** Adds a row that is stored already. */
    void restore(String key, V row) {
        rows.put(key, row);
        stored.add(key);
    }

    /** Passes the changed rows; they count as stored from now on. A row that was added and removed again is left out. */
    void drain(ChangeConsumer<V> action) {
        for (String key : changed) {
            Optional<V> row = get(key);
            boolean wasStored = row.isPresent() ? !stored.add(key) : stored.remove(key);
            if (row.isPresent() || wasStored) {
                action.accept(key, row, wasStored);
            }
        }
        changed.clear();
    }
}

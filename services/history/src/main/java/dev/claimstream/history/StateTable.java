package dev.claimstream.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Rows of the fold by their key, with those that have changed since the last flush. Not safe for several threads. */
final class StateTable<V> {
    private final Map<String, RowSlot<V>> slots = new HashMap<>();
    private final List<RowSlot<V>> changed = new ArrayList<>();

    /** The place of a row: a put or removal needs one look-up. A row that is stored keeps its place until its removal is stored. */
    private static final class RowSlot<V> {
        private final String key;
        private Optional<V> row = Optional.empty();
        private boolean isStored;
        private boolean isChanged;

        RowSlot(String key) {
            this.key = key;
        }
    }

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
        RowSlot<V> slot = slots.get(key);
        return slot == null ? Optional.empty() : slot.row;
    }

    /** All rows, in no order. */
    Stream<V> all() {
        return slots.values().stream().flatMap(each -> each.row.stream());
    }

    void put(String key, V row) {
        RowSlot<V> slot = slots.computeIfAbsent(key, RowSlot::new);
        if (slot.row.isEmpty() || !slot.row.get().equals(row)) {
            slot.row = Optional.of(row);
            mark(slot);
        }
    }

    private void mark(RowSlot<V> slot) {
        if (!slot.isChanged) {
            slot.isChanged = true;
            changed.add(slot);
        }
    }

    Optional<V> remove(String key) {
        RowSlot<V> slot = slots.get(key);
        if (slot == null) {
            return Optional.empty();
        }
        Optional<V> before = slot.row;
        slot.row = Optional.empty();
        if (slot.isStored) {
            mark(slot);
        } else {
            slots.remove(key);
        }
        return before;
    }

    /** Removes the rows that meet a condition. */
    void removeIf(Predicate<V> condition) {
        List<String> keys = slots.values().stream()
                .filter(each -> each.row.filter(condition).isPresent())
                .map(each -> each.key)
                .toList();
        keys.forEach(this::remove);
    }

    /** Adds a row that is stored already. */
    void restore(String key, V row) {
        RowSlot<V> slot = slots.computeIfAbsent(key, RowSlot::new);
        slot.row = Optional.of(row);
        slot.isStored = true;
    }

    /** Passes the changed rows; they count as stored from now on. A row that was added and removed again is left out. */
    void drain(ChangeConsumer<V> action) {
        for (RowSlot<V> slot : changed) {
            boolean wasStored = slot.isStored;
            slot.isChanged = false;
            slot.isStored = slot.row.isPresent();
            if (slot.isStored || wasStored) {
                action.accept(slot.key, slot.row, wasStored);
            }
            if (!slot.isStored && wasStored) {
                slots.remove(slot.key);
            }
        }
        changed.clear();
    }
}

package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The rows of a state by key, with access by row type. Not thread-safe. */
final class RowTable {
    private final SortedMap<String, Row> rows = new TreeMap<>();

    /** Stores a row, and returns the row that it replaces. */
    Optional<Row> put(Row row) {
        return Optional.ofNullable(rows.put(row.key(), row));
    }

    /** Deletes a row, and returns it. */
    Optional<Row> remove(String key) {
        return Optional.ofNullable(rows.remove(key));
    }

    <R extends Row> Optional<R> get(RowKey<R> key) {
        return Optional.ofNullable(key.type().cast(rows.get(key.text())));
    }

    /** The rows of a range in the order of their keys; a view. */
    @SuppressWarnings("unchecked") // a range contains rows of its type only
    <R extends Row> Collection<R> all(RowRange<R> range) {
        return (Collection<R>) rows.subMap(range.prefix(), range.prefix() + Character.MAX_VALUE)
                .values();
    }

    /** An existing object. */
    <T extends ClusterObject> Optional<T> object(Kind kind, ObjectKey key, Class<T> type) {
        return get(ObservedRow.ObjectRow.key(kind, key))
                .flatMap(ObservedRow.ObjectRow::content)
                .map(type::cast);
    }

    /** All rows by key; an unmodifiable view. */
    SortedMap<String, Row> asMap() {
        return Collections.unmodifiableSortedMap(rows);
    }
}

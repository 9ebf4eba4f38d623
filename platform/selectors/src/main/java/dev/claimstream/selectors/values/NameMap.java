package dev.claimstream.selectors.values;

import dev.cel.common.exceptions.CelAttributeNotFoundException;
import dev.cel.common.types.CelType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.values.CelValue;
import dev.cel.common.values.SelectableValue;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A read-only map by name that the evaluator neither walks nor copies: as a {@link CelValue} it is handed on as it is, as a {@link Map}
 * it serves membership, size and comprehensions. Iteration is in the order of the names.
 */
@SuppressWarnings("Immutable") // the entries never change
public class NameMap extends CelValue implements Map<String, Object>, SelectableValue<String> {
    private static final CelType TYPE = MapType.create(SimpleType.DYN, SimpleType.DYN);

    private final SortedMap<String, Object> entries;

    NameMap(SortedMap<String, Object> entries) {
        this.entries = Collections.unmodifiableSortedMap(entries);
    }

    /** What indexing or selecting a name gives; empty where that is an error. */
    @Override
    public Optional<Object> find(String name) {
        return Optional.ofNullable(entries.get(name));
    }

    @Override
    public final Object select(String name) {
        return find(name).orElseThrow(() -> CelAttributeNotFoundException.of("no such key: " + name));
    }

    @Override
    public final Object value() {
        return this;
    }

    @Override
    public final boolean isZeroValue() {
        return isEmpty();
    }

    @Override
    public final CelType celType() {
        return TYPE;
    }

    @Override
    public final @Nullable Object get(Object name) {
        return name instanceof String text ? entries.get(text) : null;
    }

    @Override
    public final boolean containsKey(Object name) {
        return get(name) != null;
    }

    @Override
    public final boolean containsValue(Object value) {
        return entries.containsValue(value);
    }

    @Override
    public final int size() {
        return entries.size();
    }

    @Override
    public final boolean isEmpty() {
        return entries.isEmpty();
    }

    @Override
    public final Set<String> keySet() {
        return entries.keySet();
    }

    @Override
    public final Collection<Object> values() {
        return entries.values();
    }

    @Override
    public final Set<Entry<String, Object>> entrySet() {
        return entries.entrySet();
    }

    @Override
    public final Object put(String name, Object value) {
        throw new UnsupportedOperationException("read-only");
    }

    @Override
    public final Object remove(Object name) {
        throw new UnsupportedOperationException("read-only");
    }

    @Override
    public final void putAll(Map<? extends String, ?> other) {
        throw new UnsupportedOperationException("read-only");
    }

    @Override
    public final void clear() {
        throw new UnsupportedOperationException("read-only");
    }

    @Override
    public final boolean equals(@Nullable Object other) {
        return entries.equals(other);
    }

    @Override
    public final int hashCode() {
        return entries.hashCode();
    }

    @Override
    public final String toString() {
        return entries.toString();
    }
}

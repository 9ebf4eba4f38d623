package dev.claimstream.selectors.values;

import java.util.AbstractMap;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** A read-only map by name, iterated in the order of the names. */
public class NameMap extends AbstractMap<String, Object> {
    private final SortedMap<String, Object> entries;

    NameMap(SortedMap<String, Object> entries) {
        this.entries = Collections.unmodifiableSortedMap(entries);
    }

    /** Returns the result of an index or selection; empty if that is an error. */
    public Optional<Object> find(Object key) {
        return Optional.ofNullable(get(key));
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
    public final Set<Entry<String, Object>> entrySet() {
        return entries.entrySet();
    }
}

package dev.claimstream.selectors.functions;

import java.util.AbstractList;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The accumulator of a comprehension that starts empty: additions change it in place, as upstream does. */
public sealed interface GrowableCollection {
    /** Returns the final value; it must not grow any more. */
    Object freeze();

    /** A list that {@code +} extends in place. */
    final class GrowableList extends AbstractList<Object> implements GrowableCollection {
        private final List<Object> elements = new ArrayList<>();

        GrowableList plus(List<?> more) {
            elements.addAll(more);
            return this;
        }

        @Override
        public Object get(int index) {
            return elements.get(index);
        }

        @Override
        public int size() {
            return elements.size();
        }

        @Override
        public Object freeze() {
            return Collections.unmodifiableList(elements);
        }
    }

    /** A map that an insertion extends in place; a key that exists is an error of the expression. */
    final class GrowableMap extends AbstractMap<Object, Object> implements GrowableCollection {
        private final Map<Object, Object> entries = new LinkedHashMap<>();

        GrowableMap plus(Object key, Object value) {
            if (Equality.find(entries, key).isPresent()) {
                throw new CallException("insert failed: key %s already exists".formatted(ValueFormatter.text(key)));
            }
            entries.put(key, value);
            return this;
        }

        @Override
        public @Nullable Object get(Object key) {
            return entries.get(key);
        }

        @Override
        public boolean containsKey(Object key) {
            return entries.containsKey(key);
        }

        @Override
        public Set<Entry<Object, Object>> entrySet() {
            return entries.entrySet();
        }

        @Override
        public Object freeze() {
            return Collections.unmodifiableMap(entries);
        }
    }
}

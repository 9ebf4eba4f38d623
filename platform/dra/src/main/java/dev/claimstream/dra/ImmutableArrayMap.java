package dev.claimstream.dra;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An immutable sorted map in two arrays.
 *
 * <p>Every device has several maps, and a tree needs 40 bytes per entry. Maps with equal keys share one key array if the keys are still
 * cached, which is typical for the devices of a fleet. Thread-safe.
 */
@SuppressWarnings("JdkObsolete") // only the SortedMap API is exposed
final class ImmutableArrayMap<V> extends AbstractMap<String, V> implements SortedMap<String, V> {
    private static final int SHARED_KEYS_MAX = 1 << 10;
    private static final AtomicReferenceArray<String @Nullable []> SHARED_KEYS =
            new AtomicReferenceArray<>(SHARED_KEYS_MAX);

    /** The keys in ascending order. */
    private final String[] keys;

    /** The values at the indexes of their keys. */
    private final Object[] values;

    private ImmutableArrayMap(String[] keys, Object[] values) {
        this.keys = keys;
        this.values = values;
    }

    /** Returns an immutable copy, or the map itself if it is already one. */
    static <V> SortedMap<String, V> copyOf(Map<String, V> map) {
        return switch (map) {
            case ImmutableArrayMap<V> fixed -> fixed;
            case SortedMap<String, V> sorted when sorted.comparator() == null -> ofSorted(sorted);
            default -> ofSorted(new TreeMap<>(map));
        };
    }

    private static <V> ImmutableArrayMap<V> ofSorted(SortedMap<String, V> map) {
        var keys = new String[map.size()];
        var values = new Object[keys.length];
        int at = 0;
        for (var entry : map.entrySet()) {
            keys[at] = entry.getKey();
            values[at++] = entry.getValue();
        }
        return new ImmutableArrayMap<>(shareKeys(keys), values);
    }

    /** Returns an equal cached key array, or caches this one. Each hash slot keeps the latest array. */
    private static String[] shareKeys(String[] keys) {
        int hash = Arrays.hashCode(keys) * 0x9E3779B9;
        int position = (hash ^ hash >>> 16) & (SHARED_KEYS_MAX - 1);
        String[] known = SHARED_KEYS.getAcquire(position);
        if (known != null && Arrays.equals(known, keys)) {
            return known;
        }
        SHARED_KEYS.setRelease(position, keys);
        return keys;
    }

    @SuppressWarnings("unchecked") // only values of this type are stored
    private V value(int at) {
        return (V) values[at];
    }

    /** Returns the index of a key, or the complement of its insertion point. */
    private int find(Object key) {
        return key instanceof String text ? Arrays.binarySearch(keys, text) : -1;
    }

    @Override
    public int size() {
        return keys.length;
    }

    @Override
    public @Nullable V get(Object key) {
        int at = find(key);
        return at >= 0 ? value(at) : null;
    }

    @Override
    public boolean containsKey(Object key) {
        return find(key) >= 0;
    }

    @Override
    public void forEach(BiConsumer<? super String, ? super V> action) {
        for (int at = 0; at < keys.length; at++) {
            action.accept(keys[at], value(at));
        }
    }

    @Override
    public Set<Map.Entry<String, V>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public int size() {
                return keys.length;
            }

            @Override
            public Iterator<Map.Entry<String, V>> iterator() {
                return new Entries();
            }
        };
    }

    private final class Entries implements Iterator<Map.Entry<String, V>> {
        private int next;

        @Override
        public boolean hasNext() {
            return next < keys.length;
        }

        @Override
        public Map.Entry<String, V> next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return Map.entry(keys[next], value(next++));
        }
    }

    @Override
    @SuppressWarnings("unchecked") // only values of this type are stored
    public Collection<V> values() {
        return (List<V>) Collections.unmodifiableList(Arrays.asList(values));
    }

    @Override
    public @Nullable Comparator<? super String> comparator() {
        return null;
    }

    @Override
    public String firstKey() {
        return key(0);
    }

    @Override
    public String lastKey() {
        return key(keys.length - 1);
    }

    private String key(int at) {
        if (keys.length == 0) {
            throw new NoSuchElementException();
        }
        return keys[at];
    }

    @Override
    public SortedMap<String, V> subMap(String from, String to) {
        if (from.compareTo(to) > 0) {
            throw new IllegalArgumentException("%s comes behind %s".formatted(from, to));
        }
        return slice(lowerBound(from), lowerBound(to));
    }

    @Override
    public SortedMap<String, V> headMap(String to) {
        return slice(0, lowerBound(to));
    }

    @Override
    public SortedMap<String, V> tailMap(String from) {
        return slice(lowerBound(from), keys.length);
    }

    /** Returns the index of the first key that is not less than this key. */
    private int lowerBound(String key) {
        int at = find(key);
        return at >= 0 ? at : ~at;
    }

    private SortedMap<String, V> slice(int from, int to) {
        return new ImmutableArrayMap<>(Arrays.copyOfRange(keys, from, to), Arrays.copyOfRange(values, from, to));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ImmutableArrayMap<?> fixed
                ? Arrays.equals(keys, fixed.keys) && Arrays.equals(values, fixed.values)
                : super.equals(other);
    }

    @Override
    public int hashCode() {
        int hash = 0;
        for (int at = 0; at < keys.length; at++) {
            hash += keys[at].hashCode() ^ values[at].hashCode();
        }
        return hash;
    }
}

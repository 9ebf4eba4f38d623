package dev.claimstream.wire;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A bounded, thread-safe intern table: returns one instance for equal keys while the table contains it.
 *
 * <p>The devices of a fleet repeat few names and values, and every decoded record would contain its own copies. Each hash slot keeps the
 * latest entry; an eviction costs only a copy. Values are immutable.
 */
final class InternTable<K, V> {
    private static final int ENTRIES_MAX = 1 << 13;

    /** Names and expressions. */
    static final InternTable<String, String> STRINGS = new InternTable<>(Function.identity());

    private final AtomicReferenceArray<@Nullable InternEntry<K, V>> entries = new AtomicReferenceArray<>(ENTRIES_MAX);
    private final Function<K, V> factory;

    private record InternEntry<K, V>(K key, V value) {}

    /**
     * Creates an empty table.
     *
     * @param factory creates the value of a key; values of equal keys must be interchangeable
     */
    InternTable(Function<K, V> factory) {
        this.factory = factory;
    }

    /** Returns the value of a key. */
    V intern(K key) {
        int position = index(key.hashCode());
        InternEntry<K, V> entry = entries.getAcquire(position);
        if (entry != null && entry.key.equals(key)) {
            return entry.value;
        }
        V value = factory.apply(key);
        entries.setRelease(position, new InternEntry<>(key, value));
        return value;
    }

    private static int index(int hash) {
        int spread = hash * 0x9E3779B9;
        return (spread ^ spread >>> 16) & (ENTRIES_MAX - 1);
    }
}

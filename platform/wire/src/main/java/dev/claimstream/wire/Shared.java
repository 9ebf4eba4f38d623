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
final class Shared<K, V> {
    private static final int PLACES = 1 << 13;

    /** Names and expressions. */
    static final Shared<String, String> TEXTS = new Shared<>(Function.identity());

    private final AtomicReferenceArray<@Nullable Kept<K, V>> places = new AtomicReferenceArray<>(PLACES);
    private final Function<K, V> make;

    private record Kept<K, V>(K key, V value) {}

    /**
     * Creates an empty table.
     *
     * @param make creates the value of a key; values of equal keys must be interchangeable
     */
    Shared(Function<K, V> make) {
        this.make = make;
    }

    /** Returns the value of a key. */
    V of(K key) {
        int place = place(key.hashCode());
        Kept<K, V> kept = places.getAcquire(place);
        if (kept != null && kept.key.equals(key)) {
            return kept.value;
        }
        V value = make.apply(key);
        places.setRelease(place, new Kept<>(key, value));
        return value;
    }

    private static int place(int hash) {
        int spread = hash * 0x9E3779B9;
        return (spread ^ spread >>> 16) & (PLACES - 1);
    }
}

package dev.claimstream.wire;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Gives out one value for equal keys, as far as it remembers them: the devices of a fleet say the same few names and values a million
 * times, and every record that is read would bring its own copies. It remembers a bounded number, whatever came last in each place, and
 * forgetting costs a copy and nothing else. Threads may share it, for its values cannot change.
 */
final class Shared<K, V> {
    private static final int PLACES = 1 << 13;

    /** Names and expressions. */
    static final Shared<String, String> TEXTS = new Shared<>(Function.identity());

    private final AtomicReferenceArray<@Nullable Kept<K, V>> places = new AtomicReferenceArray<>(PLACES);
    private final Function<K, V> make;

    private record Kept<K, V>(K key, V value) {}

    /** @param make the value of a key; equal keys must have values that nothing can tell apart */
    Shared(Function<K, V> make) {
        this.make = make;
    }

    /** The value of a key. */
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

package dev.claimstream.dra;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;

/** Immutable copies in key order. Iteration order must not differ between two runs over one input. */
final class Copies {
    private Copies() {}

    static <V> SortedMap<String, V> sorted(Map<String, V> map) {
        return map.isEmpty() ? Collections.emptySortedMap() : ImmutableArrayMap.copyOf(map);
    }
}

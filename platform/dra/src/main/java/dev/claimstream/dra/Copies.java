package dev.claimstream.dra;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;

/** Copies whose order is that of the names, so that two runs over one input agree. */
final class Copies {
    private Copies() {}

    static <V> SortedMap<String, V> sorted(Map<String, V> map) {
        return map.isEmpty() ? Collections.emptySortedMap() : FixedMap.copyOf(map);
    }
}

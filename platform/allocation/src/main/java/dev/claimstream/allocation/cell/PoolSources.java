package dev.claimstream.allocation.cell;

import dev.claimstream.dra.PoolId;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Whose slices count for a pool. One source at a time: one that is configured before any other, and among equals the one whose name is
 * the least, so that the order in which they spoke does not matter.
 */
final class PoolSources {
    private final Map<PoolId, SortedMap<String, Integer>> slices = new LinkedHashMap<>();
    private final SortedSet<PoolId> disputed = new TreeSet<>();
    private SortedSet<String> configured = new TreeSet<>();

    /** A source has one more slice of a pool. */
    void add(PoolId pool, String source) {
        count(pool, source, 1);
    }

    /** A source has one slice less of a pool. */
    void remove(PoolId pool, String source) {
        count(pool, source, -1);
    }

    private void count(PoolId pool, String source, int change) {
        SortedMap<String, Integer> counts = slices.computeIfAbsent(pool, key -> new TreeMap<>());
        counts.merge(source, change, Integer::sum);
        counts.values().removeIf(count -> count <= 0);
        if (counts.isEmpty()) {
            slices.remove(pool);
        }
        if (counts.size() > 1) {
            disputed.add(pool);
        } else {
            disputed.remove(pool);
        }
    }

    /** From now on these sources come first. */
    void configure(SortedSet<String> sources) {
        configured = sources;
    }

    /** Pools that several sources publish. */
    List<PoolId> disputed() {
        return List.copyOf(disputed);
    }

    /** The source that counts for a pool; absent where nobody publishes it. */
    Optional<String> of(PoolId pool) {
        SortedMap<String, Integer> counts = slices.getOrDefault(pool, new TreeMap<>());
        return counts.size() == 1
                ? Optional.of(counts.firstKey())
                : counts.keySet().stream()
                        .min(Comparator.comparing((String source) -> !configured.contains(source))
                                .thenComparing(Comparator.naturalOrder()));
    }
}

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
 * Selects the source whose slices count for a pool: one source at a time.
 *
 * <p>Configured sources win over others, then the smaller name wins. The choice does not depend on the order of
 * arrival.
 */
final class PoolSources {
    private final Map<PoolId, SortedMap<String, Integer>> slices = new LinkedHashMap<>();
    private final SortedSet<PoolId> disputed = new TreeSet<>();
    private SortedSet<String> configured = new TreeSet<>();

    /** Adds one slice of a source. */
    void add(PoolId pool, String source) {
        count(pool, source, 1);
    }

    /** Removes one slice of a source. */
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

    /** Sets the sources that take precedence. */
    void configure(SortedSet<String> sources) {
        configured = sources;
    }

    /** Pools with slices of several sources. */
    List<PoolId> disputed() {
        return List.copyOf(disputed);
    }

    /** The source that counts for a pool; absent if it has no slices. */
    Optional<String> of(PoolId pool) {
        SortedMap<String, Integer> counts = slices.getOrDefault(pool, new TreeMap<>());
        return counts.size() == 1
                ? Optional.of(counts.firstKey())
                : counts.keySet().stream()
                        .min(Comparator.comparing((String source) -> !configured.contains(source))
                                .thenComparing(Comparator.naturalOrder()));
    }
}

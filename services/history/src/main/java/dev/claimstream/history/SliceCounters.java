package dev.claimstream.history;

import java.util.Map;
import java.util.stream.Collectors;

/**
 * The shared counters of a slice: those that its devices consume, and those that the slice has for its pool.
 *
 * @param generation generation of the pool; of two slices with one counter set the higher one is current
 * @param sets amount per counter, by counter set
 * @param consumption consumed amount per counter, by device and counter set
 */
public record SliceCounters(
        long generation,
        Map<String, Map<String, String>> sets,
        Map<String, Map<String, Map<String, String>>> consumption) {
    /** No counters. */
    public static final SliceCounters NONE = new SliceCounters(0, Map.of(), Map.of());

    public SliceCounters {
        sets = copy(sets);
        consumption = consumption.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, each -> copy(each.getValue())));
    }

    private static Map<String, Map<String, String>> copy(Map<String, Map<String, String>> amounts) {
        return amounts.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, each -> Map.copyOf(each.getValue())));
    }

    boolean isEmpty() {
        return sets.isEmpty() && consumption.isEmpty();
    }
}

package dev.claimstream.allocation.solver;

import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Searches that stopped because the work budget of an attempt was exhausted, so that the next attempt continues them.
 * They are only a cache: a missing search starts again, and charges the same.
 */
final class SuspendedSearches {
    private static final int SEARCHES_MAX = 16;
    /** Memory limit of all searches, in integers of four bytes: about 100 MB. A single search may exceed it. */
    private static final long MEMO_SIZE_MAX = 25_000_000;

    private final Map<SearchKey, NodeSearch> searches = new LinkedHashMap<>();

    private record SearchKey(NodeEquivalenceClass nodeClass, PlacementPolicy policy, long stepsMax) {}

    /**
     * Continues the search of a class.
     *
     * @param stepsNow limit on steps, earlier calls included
     * @return empty if the limit was reached first
     */
    Optional<SearchOutcome> advance(
            AllocationProblem problem,
            NodeEquivalenceClass nodeClass,
            PlacementPolicy policy,
            long stepsMax,
            long stepsNow) {
        Optional<SearchOutcome> known = nodeClass.cachedOutcome(policy, stepsMax);
        if (known.isPresent()) {
            return known;
        }
        var key = new SearchKey(nodeClass, policy, stepsMax);
        NodeSearch search = Optional.ofNullable(searches.remove(key))
                .orElseGet(() -> new NodeSearch(problem, nodeClass, policy, stepsMax));
        Optional<SearchOutcome> outcome = search.advance(stepsNow);
        outcome.ifPresentOrElse(each -> nodeClass.cacheOutcome(policy, stepsMax, each), () -> suspend(key, search));
        return outcome;
    }

    /**
     * Stores a search. If there are too many, it drops the one with the fewest steps, which is the cheapest to repeat.
     */
    private void suspend(SearchKey key, NodeSearch search) {
        searches.put(key, search);
        while (searches.size() > 1 && (searches.size() > SEARCHES_MAX || memoSize() > MEMO_SIZE_MAX)) {
            Map.Entry<SearchKey, NodeSearch> shortest = Collections.min(
                    searches.entrySet(),
                    Comparator.comparingLong(each -> each.getValue().steps()));
            searches.remove(shortest.getKey());
        }
    }

    private long memoSize() {
        return searches.values().stream().mapToLong(NodeSearch::memoSize).sum();
    }

    /** Drops all searches. */
    void clear() {
        searches.clear();
    }
}

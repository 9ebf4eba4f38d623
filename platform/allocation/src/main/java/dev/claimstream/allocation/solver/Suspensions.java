package dev.claimstream.allocation.solver;

import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Searches that stopped because the work of a look was spent, so that the next look goes on where they stopped. They are a cache: one
 * that is missing begins again, and charges the same.
 */
final class Suspensions {
    private static final int SEARCHES_MAX = 16;
    /** Memory of all searches, in numbers of four bytes: some 100 MB. One is kept with more. */
    private static final long REMEMBERED_MAX = 25_000_000;

    private final Map<Key, NodeSearch> searches = new LinkedHashMap<>();

    private record Key(NodeClass nodeClass, Policy policy, long stepsMax) {}

    /**
     * Whether the question fits on the nodes of a class, and how.
     *
     * @param stepsNow beyond so many steps, those of earlier calls included, the search stops
     * @return nothing where it stopped
     */
    Optional<Outcome> advance(Question question, NodeClass nodeClass, Policy policy, long stepsMax, long stepsNow) {
        Optional<Outcome> known = nodeClass.known(policy, stepsMax);
        if (known.isPresent()) {
            return known;
        }
        var key = new Key(nodeClass, policy, stepsMax);
        NodeSearch search = Optional.ofNullable(searches.remove(key))
                .orElseGet(() -> new NodeSearch(question, nodeClass, policy, stepsMax));
        Optional<Outcome> outcome = search.advance(stepsNow);
        outcome.ifPresentOrElse(each -> nodeClass.remember(policy, stepsMax, each), () -> keep(key, search));
        return outcome;
    }

    /** Where there are too many, the one with the fewest steps goes: it is the cheapest to begin again. */
    private void keep(Key key, NodeSearch search) {
        searches.put(key, search);
        while (searches.size() > 1 && (searches.size() > SEARCHES_MAX || remembered() > REMEMBERED_MAX)) {
            Map.Entry<Key, NodeSearch> shortest = Collections.min(
                    searches.entrySet(),
                    Comparator.comparingLong(each -> each.getValue().steps()));
            searches.remove(shortest.getKey());
        }
    }

    private long remembered() {
        return searches.values().stream().mapToLong(NodeSearch::remembered).sum();
    }

    /** Forgets all of them. */
    void clear() {
        searches.clear();
    }
}

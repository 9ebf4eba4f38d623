package dev.claimstream.allocation.solver;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Searches that stopped because the work of a look was spent, so that the next look goes on where they stopped. They are a cache: one
 * that is missing begins again, and charges the same.
 */
final class Suspensions {
    private static final int SEARCHES_MAX = 8;
    /** States that all searches together remember; the last one is kept with more. */
    private static final int REMEMBERED_MAX = 250_000;

    /** The one that stopped last is the last. */
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

    private void keep(Key key, NodeSearch search) {
        searches.put(key, search);
        long remembered =
                searches.values().stream().mapToLong(NodeSearch::remembered).sum();
        Iterator<NodeSearch> eldest = searches.values().iterator();
        while (searches.size() > 1 && (searches.size() > SEARCHES_MAX || remembered > REMEMBERED_MAX)) {
            remembered -= eldest.next().remembered();
            eldest.remove();
        }
    }
}

package dev.claimstream.writer;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The latest decision of each claim, among those that were in the topic when the process started.
 *
 * <p>Earlier decisions of a claim are void: they may have been committed and undone since, and must not be committed
 * again. Not thread-safe.
 *
 * @param <D> a decision with its position
 */
final class Backlog<D> {
    private final Map<String, D> last = new LinkedHashMap<>();

    /**
     * Adds a decision.
     *
     * @return the earlier decision of the claim, which is superseded by it
     */
    Optional<D> add(String claim, D decision) {
        Optional<D> before = Optional.ofNullable(last.remove(claim));
        last.put(claim, decision);
        return before;
    }

    /** Removes and returns the latest decisions, ordered by when they were added. */
    Collection<D> take() {
        Collection<D> all = new java.util.ArrayList<>(last.values());
        last.clear();
        return all;
    }
}

package dev.claimstream.writer.streams;

import java.util.ArrayList;
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
public final class LatestDecisions<D> {
    private final Map<String, D> latest = new LinkedHashMap<>();

    /**
     * Adds a decision.
     *
     * @return the earlier decision of the claim, which is superseded by it
     */
    public Optional<D> add(String claim, D decision) {
        Optional<D> before = Optional.ofNullable(latest.remove(claim));
        latest.put(claim, decision);
        return before;
    }

    /** Removes and returns the latest decisions, ordered by when they were added. */
    public Collection<D> drain() {
        Collection<D> all = new ArrayList<>(latest.values());
        latest.clear();
        return all;
    }
}

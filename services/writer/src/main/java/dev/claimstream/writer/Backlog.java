package dev.claimstream.writer;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The decisions that were there before the process: of each claim only the last one counts. An earlier one may have been carried out
 * and undone since, and must not be carried out again.
 *
 * @param <D> a decision with its place
 */
final class Backlog<D> {
    private final Map<String, D> last = new LinkedHashMap<>();

    /** Takes one; returns the one that it makes void. */
    Optional<D> add(String claim, D decision) {
        Optional<D> before = Optional.ofNullable(last.remove(claim));
        last.put(claim, decision);
        return before;
    }

    /** Those that count, in their order; from here on there are none. */
    Collection<D> take() {
        Collection<D> all = new java.util.ArrayList<>(last.values());
        last.clear();
        return all;
    }
}

package dev.claimstream.allocation.cell;

import java.util.LinkedHashMap;
import java.util.Map;

/** A multiset of items. Items with count 0 are not stored. */
public final class ItemCounts {
    private final Map<ItemId, Integer> counts = new LinkedHashMap<>();

    /** Increments the count. */
    public void add(ItemId item) {
        counts.merge(item, 1, Integer::sum);
    }

    /** Decrements the count. */
    public void remove(ItemId item) {
        counts.computeIfPresent(item, (_, count) -> count > 1 ? count - 1 : null);
    }

    /** Whether the count is positive. */
    public boolean has(ItemId item) {
        return counts.containsKey(item);
    }
}

package dev.claimstream.allocation.cell;

import java.util.LinkedHashMap;
import java.util.Map;

/** How much there is of each item; nothing is kept of those of which there is nothing. */
public final class ItemCounts {
    private final Map<ItemId, Integer> counts = new LinkedHashMap<>();

    /** One more. */
    public void add(ItemId item) {
        counts.merge(item, 1, Integer::sum);
    }

    /** One less. */
    public void remove(ItemId item) {
        counts.computeIfPresent(item, (_, count) -> count > 1 ? count - 1 : null);
    }

    /** Whether there is any. */
    public boolean has(ItemId item) {
        return counts.containsKey(item);
    }
}

package dev.claimstream.console;

import dev.claimstream.allocation.cell.Comparison;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The last comparison of each claim, of the claims that changed last. Not thread-safe. */
final class LastComparisons {
    /** Bounds the memory of the console; older comparisons are in {@code comparisons.v1}. */
    static final int CLAIMS_MAX = 50_000;

    private final Map<String, Comparison> byUid = new LinkedHashMap<>();

    void add(Comparison comparison) {
        byUid.remove(comparison.claimUid());
        byUid.put(comparison.claimUid(), comparison);
        if (byUid.size() > CLAIMS_MAX) {
            var oldest = byUid.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /** Returns all comparisons, the oldest change first. */
    List<Comparison> all() {
        return List.copyOf(byUid.values());
    }
}

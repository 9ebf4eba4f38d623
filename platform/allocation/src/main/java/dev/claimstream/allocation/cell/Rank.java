package dev.claimstream.allocation.cell;

import java.time.Instant;
import java.util.Comparator;

/** Position in the scheduling queue: higher priority, then older, then the source's sequence, then name. */
public record Rank(int priority, Instant created, long sequence, ItemId item) implements Comparable<Rank> {
    private static final Comparator<Rank> ORDER = Comparator.comparing(Rank::priority, Comparator.reverseOrder())
            .thenComparing(Rank::created)
            .thenComparingLong(Rank::sequence)
            .thenComparing(Rank::item);

    @Override
    public int compareTo(Rank other) {
        return ORDER.compare(this, other);
    }
}

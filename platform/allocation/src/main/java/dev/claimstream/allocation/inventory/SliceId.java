package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import java.util.Comparator;

/** The ID of a slice, ordered by pool and name. */
public record SliceId(PoolId pool, String name) implements Comparable<SliceId> {
    private static final Comparator<SliceId> ORDER =
            Comparator.comparing(SliceId::pool).thenComparing(SliceId::name);

    static SliceId of(ResourceSlice slice) {
        return new SliceId(slice.poolId(), slice.meta().name());
    }

    @Override
    public int compareTo(SliceId other) {
        return ORDER.compare(this, other);
    }
}

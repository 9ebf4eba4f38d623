package dev.claimstream.dra;

import java.util.Comparator;

/** The ID of a pool. Pools of different drivers are different, even if they have the same name. */
public record PoolId(String driver, String pool) implements Comparable<PoolId> {
    private static final Comparator<PoolId> ORDER =
            Comparator.comparing(PoolId::driver).thenComparing(PoolId::pool);

    @Override
    public int compareTo(PoolId other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return driver + "/" + pool;
    }
}

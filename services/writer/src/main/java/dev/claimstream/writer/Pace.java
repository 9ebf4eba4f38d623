package dev.claimstream.writer;

/**
 * How many writes go on at a time: one more after as many good answers as there are, half as many after a sign of overload. Signs that
 * come from the writes of one round count once.
 */
final class Pace {
    private static final int FIRST = 8;

    private final int most;
    private int limit;
    private int good;
    private int sinceHalved;

    Pace(int most) {
        this.most = most;
        limit = Math.min(FIRST, most);
        sinceHalved = limit;
    }

    synchronized int limit() {
        return limit;
    }

    /** A write was answered. */
    synchronized void well() {
        sinceHalved++;
        good++;
        if (good >= limit) {
            good = 0;
            limit = Math.min(most, limit + 1);
        }
    }

    /** A write was not taken for now, or nobody knows. */
    synchronized void strained() {
        sinceHalved++;
        good = 0;
        if (sinceHalved > limit) {
            limit = Math.max(1, limit / 2);
            sinceHalved = 0;
        }
    }
}

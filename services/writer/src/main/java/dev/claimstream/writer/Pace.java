package dev.claimstream.writer;

/**
 * Limit of concurrent writes, by additive increase and multiplicative decrease (AIMD).
 *
 * <p>The limit starts at 8. It grows by one after as many successful writes as its value, and is halved after an
 * overload response. Overload responses of writes that ran at the same time halve it once. Thread-safe.
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

    /** Records a write that was answered. */
    synchronized void well() {
        sinceHalved++;
        good++;
        if (good >= limit) {
            good = 0;
            limit = Math.min(most, limit + 1);
        }
    }

    /** Records a write that was throttled, or whose result is unknown. */
    synchronized void strained() {
        sinceHalved++;
        good = 0;
        if (sinceHalved > limit) {
            limit = Math.max(1, limit / 2);
            sinceHalved = 0;
        }
    }
}

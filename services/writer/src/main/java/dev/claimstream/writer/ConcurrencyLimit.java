package dev.claimstream.writer;

/**
 * Limit of concurrent writes, by additive increase and multiplicative decrease (AIMD).
 *
 * <p>The limit starts at 8. It grows by one after as many successful writes as its value, and is halved after an
 * overload response. Overload responses of writes that ran at the same time halve it once. Thread-safe.
 */
final class ConcurrencyLimit {
    private static final int FIRST = 8;

    private final int max;
    private int limit;
    private int successes;
    private int sinceDecrease;

    ConcurrencyLimit(int max) {
        this.max = max;
        limit = Math.min(FIRST, max);
        sinceDecrease = limit;
    }

    synchronized int limit() {
        return limit;
    }

    /** Records a write that was answered. */
    synchronized void onSuccess() {
        sinceDecrease++;
        successes++;
        if (successes >= limit) {
            successes = 0;
            limit = Math.min(max, limit + 1);
        }
    }

    /** Records a write that was throttled, or whose result is unknown. */
    synchronized void onOverload() {
        sinceDecrease++;
        successes = 0;
        if (sinceDecrease > limit) {
            limit = Math.max(1, limit / 2);
            sinceDecrease = 0;
        }
    }
}

package dev.claimstream.allocation.solver;

import java.util.Comparator;

/**
 * How good a fit is; the smaller, the better. Whole numbers only.
 *
 * @param preference the sum of the places of chosen alternatives: the earlier, the better
 * @param grade what the given devices offer in sum: small devices first
 * @param cost what the given devices take from others in sum: partitions that can no longer be given, and devices that were whole
 * @param left matching devices that stay free on the node: full nodes first, empty ones stay whole
 * @param leftAll all devices that stay free on the node
 * @param room what the given devices that are shared had left: the fullest first
 */
record Score(int preference, long grade, long cost, int left, int leftAll, long room) implements Comparable<Score> {
    private static final Comparator<Score> ORDER = Comparator.comparingInt(Score::preference)
            .thenComparingLong(Score::grade)
            .thenComparingLong(Score::cost)
            .thenComparingInt(Score::left)
            .thenComparingInt(Score::leftAll)
            .thenComparingLong(Score::room);

    @Override
    public int compareTo(Score other) {
        return ORDER.compare(this, other);
    }
}

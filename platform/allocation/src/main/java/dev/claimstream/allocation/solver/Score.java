package dev.claimstream.allocation.solver;

import java.util.Comparator;

/**
 * How good a fit is; the smaller, the better. Whole numbers only.
 *
 * @param preference the sum of the places of chosen alternatives: the earlier, the better
 * @param grade what the given devices offer in sum: small devices first
 * @param cost what the given devices take from others in sum: partitions that can no longer be given, or unbroken capacity
 * @param left matching devices that stay free on the node: full nodes first, empty ones stay whole
 * @param leftAll all devices that stay free on the node
 */
record Score(int preference, long grade, long cost, int left, int leftAll) implements Comparable<Score> {
    private static final Comparator<Score> ORDER = Comparator.comparingInt(Score::preference)
            .thenComparingLong(Score::grade)
            .thenComparingLong(Score::cost)
            .thenComparingInt(Score::left)
            .thenComparingInt(Score::leftAll);

    @Override
    public int compareTo(Score other) {
        return ORDER.compare(this, other);
    }
}

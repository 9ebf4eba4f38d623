package dev.claimstream.allocation.solver;

import java.util.Comparator;

/**
 * Score of a solution, lower is better. All parts are integers, compared in the order of the components.
 *
 * @param preference sum of the indexes of the selected alternatives
 * @param grade sum of the sizes of the allocated devices: prefers small devices
 * @param cost sum of fragmentation costs: partitions that become unusable, and devices that were whole
 * @param freeMatching matching devices that stay unallocated on the node: prefers full nodes and keeps empty nodes whole
 * @param freeTotal all devices that stay unallocated on the node
 * @param remainingShare sum of the shares that remained of allocated shareable devices: prefers the fullest devices
 */
record Score(int preference, long grade, long cost, int freeMatching, int freeTotal, long remainingShare)
        implements Comparable<Score> {
    private static final Comparator<Score> ORDER = Comparator.comparingInt(Score::preference)
            .thenComparingLong(Score::grade)
            .thenComparingLong(Score::cost)
            .thenComparingInt(Score::freeMatching)
            .thenComparingInt(Score::freeTotal)
            .thenComparingLong(Score::remainingShare);

    @Override
    public int compareTo(Score other) {
        return ORDER.compare(this, other);
    }
}

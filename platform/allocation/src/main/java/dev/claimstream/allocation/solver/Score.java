package dev.claimstream.allocation.solver;

import java.util.Comparator;

/**
 * Score of a solution, lower is better. All parts are integers, compared in the order of the components.
 *
 * @param preference sum of the indexes of the selected alternatives
 * @param grade sum of the sizes of the allocated devices: prefers small devices
 * @param cost sum of fragmentation costs: partitions that become unusable, and devices that were whole
 * @param left matching devices that stay unallocated on the node: prefers full nodes and keeps empty nodes whole
 * @param leftAll all devices that stay unallocated on the node
 * @param room sum of the shares that remained of allocated shareable devices: prefers the fullest devices
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

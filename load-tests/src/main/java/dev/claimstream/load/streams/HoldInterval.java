package dev.claimstream.load.streams;

import java.util.Comparator;

/**
 * The time in which a claim holds a device. Times are microseconds since 1970.
 *
 * @param device driver, pool and name of the device
 * @param claim namespace and name of the claim
 * @param node name of the node, which is that of the pool
 * @param to 0 while the claim holds the device
 */
public record HoldInterval(String device, String claim, String node, long from, long to) {
    /** An order without ties. */
    public static final Comparator<HoldInterval> ORDER = Comparator.comparing(HoldInterval::from)
            .thenComparing(HoldInterval::device)
            .thenComparing(HoldInterval::claim)
            .thenComparing(HoldInterval::to);

    /** The part of a window in which the claim holds the device, in microseconds. */
    public long within(long begin, long end) {
        return Math.max(0, (to == 0 ? end : Math.min(end, to)) - Math.max(begin, from));
    }

    /** Whether the claim holds the device at a time. */
    public boolean contains(long time) {
        return from <= time && (to == 0 || to > time);
    }
}

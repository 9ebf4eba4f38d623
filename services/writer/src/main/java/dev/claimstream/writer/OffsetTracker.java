package dev.claimstream.writer;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * Offsets to commit per partition: the first record that is not done yet. Not thread-safe.
 *
 * @param <K> a partition
 */
final class OffsetTracker<K> {
    private final Map<K, TreeSet<Long>> inFlight = new HashMap<>();
    private final Map<K, Long> next = new HashMap<>();

    /** Records that processing of a record has started. */
    void begin(K partition, long offset) {
        inFlight.computeIfAbsent(partition, _ -> new TreeSet<>()).add(offset);
        next.merge(partition, offset + 1, Math::max);
    }

    /** Records that a record is done. */
    void end(K partition, long offset) {
        TreeSet<Long> offsets = inFlight.get(partition);
        if (offsets != null) {
            offsets.remove(offset);
        }
    }

    /** Removes a partition that was revoked from this process. */
    void forget(K partition) {
        inFlight.remove(partition);
        next.remove(partition);
    }

    /** The number of records that are started and not done. */
    int inFlightCount() {
        return inFlight.values().stream().mapToInt(TreeSet::size).sum();
    }

    /** Returns the offset of each partition at which processing continues after a restart. */
    Map<K, Long> positions() {
        Map<K, Long> positions = new HashMap<>();
        next.forEach((partition, after) -> {
            TreeSet<Long> offsets = inFlight.getOrDefault(partition, new TreeSet<>());
            positions.put(partition, offsets.isEmpty() ? after : offsets.first());
        });
        return positions;
    }
}

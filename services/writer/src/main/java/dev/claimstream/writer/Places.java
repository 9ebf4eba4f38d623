package dev.claimstream.writer;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * Offsets to commit per partition: the first record that is not done yet. Not thread-safe.
 *
 * @param <K> a partition
 */
final class Places<K> {
    private final Map<K, TreeSet<Long>> open = new HashMap<>();
    private final Map<K, Long> next = new HashMap<>();

    /** Records that processing of a record has started. */
    void begin(K partition, long offset) {
        open.computeIfAbsent(partition, _ -> new TreeSet<>()).add(offset);
        next.merge(partition, offset + 1, Math::max);
    }

    /** Records that a record is done. */
    void end(K partition, long offset) {
        TreeSet<Long> there = open.get(partition);
        if (there != null) {
            there.remove(offset);
        }
    }

    /** Removes a partition that was revoked from this process. */
    void forget(K partition) {
        open.remove(partition);
        next.remove(partition);
    }

    /** The number of records that are started and not done. */
    int openCount() {
        return open.values().stream().mapToInt(TreeSet::size).sum();
    }

    /** Returns the offset of each partition at which processing continues after a restart. */
    Map<K, Long> positions() {
        Map<K, Long> positions = new HashMap<>();
        next.forEach((partition, after) -> {
            TreeSet<Long> there = open.getOrDefault(partition, new TreeSet<>());
            positions.put(partition, there.isEmpty() ? after : there.first());
        });
        return positions;
    }
}

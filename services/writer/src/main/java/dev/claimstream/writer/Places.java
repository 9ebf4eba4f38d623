package dev.claimstream.writer;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * How far each partition is done: up to the first record that is not.
 *
 * @param <K> a partition
 */
final class Places<K> {
    private final Map<K, TreeSet<Long>> open = new HashMap<>();
    private final Map<K, Long> next = new HashMap<>();

    /** This record is taken up. */
    void begin(K partition, long offset) {
        open.computeIfAbsent(partition, _ -> new TreeSet<>()).add(offset);
        next.merge(partition, offset + 1, Math::max);
    }

    /** It is done. */
    void end(K partition, long offset) {
        TreeSet<Long> there = open.get(partition);
        if (there != null) {
            there.remove(offset);
        }
    }

    /** Another process has it from here on. */
    void forget(K partition) {
        open.remove(partition);
        next.remove(partition);
    }

    /** How many records are taken up and not done. */
    int openCount() {
        return open.values().stream().mapToInt(TreeSet::size).sum();
    }

    /** Where each partition would go on after a restart. */
    Map<K, Long> positions() {
        Map<K, Long> positions = new HashMap<>();
        next.forEach((partition, after) -> {
            TreeSet<Long> there = open.getOrDefault(partition, new TreeSet<>());
            positions.put(partition, there.isEmpty() ? after : there.first());
        });
        return positions;
    }
}

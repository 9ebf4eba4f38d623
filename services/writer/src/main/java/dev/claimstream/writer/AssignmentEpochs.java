package dev.claimstream.writer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Epochs of partition assignments: each assignment of a partition to this process gets a new number.
 *
 * <p>Work of an epoch is void once the partition was revoked, even if it is assigned again later. One thread begins and
 * ends epochs; any thread may query them.
 *
 * @param <K> a partition
 */
final class AssignmentEpochs<K> {
    private static final long NONE = 0;

    private final Map<K, Long> current = new ConcurrentHashMap<>();
    private long lastEpoch = NONE;

    /** Starts an epoch: the partition was assigned to this process. */
    void begin(K partition) {
        lastEpoch++;
        current.put(partition, lastEpoch);
    }

    /** Ends the epoch: the partition was revoked. */
    void end(K partition) {
        current.remove(partition);
    }

    /** Returns the current epoch of a partition; 0 if it is not assigned. */
    long epoch(K partition) {
        return current.getOrDefault(partition, NONE);
    }

    /** Whether the partition is still assigned in this epoch. */
    boolean isCurrent(K partition, long epoch) {
        return epoch != NONE && epoch(partition) == epoch;
    }
}

package dev.claimstream.writer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which partitions this process has, each time that it has one by a number of its own: what it was to do with a partition is another's once
 * that was taken away, also where it has it again. Begun and ended by one thread; any may ask.
 *
 * @param <K> a partition
 */
final class Tenures<K> {
    private static final long NONE = 0;

    private final Map<K, Long> current = new ConcurrentHashMap<>();
    private long begun = NONE;

    /** This process gets it. */
    void begin(K partition) {
        begun++;
        current.put(partition, begun);
    }

    /** Another process may have it from here on. */
    void end(K partition) {
        current.remove(partition);
    }

    /** The number of this time. */
    long now(K partition) {
        return current.getOrDefault(partition, NONE);
    }

    /** Whether this time is not over. */
    boolean lasts(K partition, long tenure) {
        return tenure != NONE && now(partition) == tenure;
    }
}

package dev.claimstream.allocation.inventory;

import java.util.Arrays;

/**
 * Logs the ordinals of changed nodes in order, so that an index updates only changed nodes.
 *
 * <p>When the log is full and longer than four times the number of nodes, it discards its older half. An index that lags further behind
 * reads all nodes.
 */
final class NodeChangeLog {
    private static final int MIN = 4096;

    private int[] ordinals = new int[MIN];
    private int size;
    private long base;

    /** Returns the offset after the last change. */
    long end() {
        return base + size;
    }

    /** Returns whether the log still contains all changes from this offset. */
    boolean covers(long position) {
        return position >= base;
    }

    int at(long position) {
        return ordinals[(int) (position - base)];
    }

    void add(int ordinal, int nodes) {
        if (size == ordinals.length) {
            growOrDiscard(nodes);
        }
        ordinals[size++] = ordinal;
    }

    private void growOrDiscard(int nodes) {
        if (ordinals.length < 4 * nodes) {
            ordinals = Arrays.copyOf(ordinals, 2 * ordinals.length);
            return;
        }
        int dropped = size / 2;
        System.arraycopy(ordinals, dropped, ordinals, 0, size - dropped);
        size -= dropped;
        base += dropped;
    }
}

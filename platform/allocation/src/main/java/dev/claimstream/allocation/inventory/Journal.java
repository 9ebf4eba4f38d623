package dev.claimstream.allocation.inventory;

import java.util.Arrays;

/**
 * Which nodes changed, in order, so that every index catches up by looking at the changed nodes alone. It forgets its oldest half
 * when it is full; an index that is further behind looks at all nodes.
 */
final class Journal {
    private static final int MIN = 4096;

    private int[] ordinals = new int[MIN];
    private int size;
    private long base;

    /** The place after the last change. */
    long end() {
        return base + size;
    }

    /** Whether every change from this place on is still known. */
    boolean reachesBackTo(long place) {
        return place >= base;
    }

    int at(long place) {
        return ordinals[(int) (place - base)];
    }

    void add(int ordinal, int nodes) {
        if (size == ordinals.length) {
            makeRoom(nodes);
        }
        ordinals[size++] = ordinal;
    }

    private void makeRoom(int nodes) {
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

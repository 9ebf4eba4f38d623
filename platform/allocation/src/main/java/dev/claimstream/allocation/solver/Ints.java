package dev.claimstream.allocation.solver;

import java.util.Arrays;

/** Growable array of integers. */
final class Ints {
    private int[] content = new int[64];
    private int size;

    void add(int number) {
        if (size == content.length) {
            content = Arrays.copyOf(content, 2 * size);
        }
        content[size++] = number;
    }

    int get(int index) {
        return content[index];
    }

    int size() {
        return size;
    }

    int[] toArray() {
        return Arrays.copyOf(content, size);
    }

    void add(long number) {
        add((int) number);
        add((int) (number >>> Integer.SIZE));
    }

    void removeLast() {
        size--;
    }

    void clear() {
        size = 0;
    }
}

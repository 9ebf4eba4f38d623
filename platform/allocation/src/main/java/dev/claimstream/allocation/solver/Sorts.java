package dev.claimstream.allocation.solver;

import java.util.function.IntPredicate;

/**
 * Equivalence classes of interchangeable devices. Two devices are equivalent if every option has the same eligibility
 * for both, constraints see the same values, both are equally available, and the same capacity remains.
 */
final class Sorts {
    private final int[] sortOf;
    private final int count;
    private final boolean[][] wantedFrom;

    /** @param requests number of requests of all claims */
    Sorts(Question question, Layout layout, NodeState state, int requests) {
        sortOf = new int[layout.size];
        int[] first = new int[layout.size];
        int sorts = 0;
        for (int device = 0; device < layout.size; device++) {
            int sort = 0;
            while (sort < sorts && !(state.alike(first[sort], device) && layout.alike(first[sort], device))) {
                sort++;
            }
            if (sort == sorts) {
                first[sorts++] = device;
            }
            sortOf[device] = sort;
        }
        count = sorts;
        wantedFrom = new boolean[requests + 1][sorts];
        int request = requests - 1;
        for (int claim = question.requests().size() - 1; claim >= 0; claim--) {
            var ofClaim = question.requests().get(claim);
            for (int i = ofClaim.size() - 1; i >= 0; i--, request--) {
                for (int sort = 0; sort < sorts; sort++) {
                    wantedFrom[request][sort] = wantedFrom[request + 1][sort];
                    for (Want want : ofClaim.get(i)) {
                        wantedFrom[request][sort] |= layout.verdict(first[sort], want.column()) != Verdict.NO;
                    }
                }
            }
        }
    }

    /** Number of the device's class. */
    int sortOf(int device) {
        return sortOf[device];
    }

    /**
     * Adds the number of allocated devices per class to the key. Only classes that this request or a later one can use
     * count.
     */
    void addTaken(IntPredicate taken, int fromRequest, Ints key) {
        int[] counts = new int[count];
        for (int device = 0; device < sortOf.length; device++) {
            counts[sortOf[device]] += taken.test(device) ? 1 : 0;
        }
        for (int sort = 0; sort < count; sort++) {
            if (wantedFrom[fromRequest][sort]) {
                key.add(counts[sort]);
            }
        }
    }
}

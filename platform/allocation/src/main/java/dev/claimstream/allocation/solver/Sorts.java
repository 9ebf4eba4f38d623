package dev.claimstream.allocation.solver;

import java.util.function.IntPredicate;

/**
 * Devices that can stand for each other. Two of them are of one sort when every want says the same of them, constraints see the same
 * values, and they are equally open, with as much left to share.
 */
final class Sorts {
    private final int[] sortOf;
    private final int count;
    private final boolean[][] wantedFrom;

    /** @param requests how many requests the question has, all claims together */
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

    /** The sort of a device. */
    int sortOf(int device) {
        return sortOf[device];
    }

    /** Adds how many devices of each sort are taken that a request from this one on could want. */
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

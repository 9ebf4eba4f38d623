package dev.claimstream.allocation.solver;

import java.util.function.IntPredicate;

/**
 * Equivalence classes of interchangeable devices. Two devices are equivalent if every option has the same eligibility
 * for both, constraints see the same values, both are equally available, and the same capacity remains.
 */
final class DeviceEquivalence {
    private final int[] classOf;
    private final int classCount;
    private final boolean[][] usableFrom;

    /** @param requests number of requests of all claims */
    DeviceEquivalence(AllocationProblem problem, NodeLayout layout, NodeState state, int requests) {
        classOf = new int[layout.size];
        int[] first = new int[layout.size];
        int classes = 0;
        for (int device = 0; device < layout.size; device++) {
            int number = 0;
            while (number < classes
                    && !(state.isEquivalent(first[number], device) && layout.isEquivalent(first[number], device))) {
                number++;
            }
            if (number == classes) {
                first[classes++] = device;
            }
            classOf[device] = number;
        }
        classCount = classes;
        usableFrom = new boolean[requests + 1][classes];
        int request = requests - 1;
        for (int claim = problem.requests().size() - 1; claim >= 0; claim--) {
            var ofClaim = problem.requests().get(claim);
            for (int i = ofClaim.size() - 1; i >= 0; i--, request--) {
                for (int number = 0; number < classes; number++) {
                    usableFrom[request][number] = usableFrom[request + 1][number];
                    for (RequestOption option : ofClaim.get(i)) {
                        usableFrom[request][number] |=
                                layout.eligibility(first[number], option.column()) != DeviceEligibility.NO;
                    }
                }
            }
        }
    }

    /** Number of the device's class. */
    int classOf(int device) {
        return classOf[device];
    }

    /**
     * Adds the number of allocated devices per class to the key. Only classes that this request or a later one can use
     * count.
     */
    void addAllocated(IntPredicate allocated, int fromRequest, Ints key) {
        int[] counts = new int[classCount];
        for (int device = 0; device < classOf.length; device++) {
            counts[classOf[device]] += allocated.test(device) ? 1 : 0;
        }
        for (int number = 0; number < classCount; number++) {
            if (usableFrom[fromRequest][number]) {
                key.add(counts[number]);
            }
        }
    }
}

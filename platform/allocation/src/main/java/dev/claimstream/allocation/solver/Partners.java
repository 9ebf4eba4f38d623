package dev.claimstream.allocation.solver;

import java.util.Arrays;

/**
 * Finds the devices with support for their constraints on a node. A device has support if, for each request under one
 * of its {@code matchAttribute} constraints, enough available devices share a value with it.
 */
final class Partners {
    private Partners() {}

    static boolean[] of(Question question, NodeClass nodeClass, Want want) {
        Layout layout = nodeClass.layout;
        boolean[] partnered = new boolean[layout.size];
        for (int device = 0; device < layout.size; device++) {
            partnered[device] = true;
            for (Bond bond : question.bonds()) {
                if (bond.binds(want.column()) && !bond.distinct()) {
                    partnered[device] &=
                            hasAll(question, nodeClass, bond, layout.value(device, bond.source(want.column())));
                }
            }
        }
        return partnered;
    }

    private static boolean hasAll(Question question, NodeClass nodeClass, Bond bond, int value) {
        return value >= 0
                && question.requests().get(bond.claim()).stream()
                        .filter(wants -> wants.stream().anyMatch(want -> bond.binds(want.column())))
                        .allMatch(wants -> wants.stream()
                                .anyMatch(want -> bond.binds(want.column()) && has(nodeClass, bond, value, want)));
    }

    /** A request for all devices needs the value on each matching device. */
    private static boolean has(NodeClass nodeClass, Bond bond, int value, Want want) {
        long open = 0;
        long matching = 0;
        for (int device = 0; device < nodeClass.layout.size; device++) {
            matching += nodeClass.layout.verdict(device, want.column()) == Verdict.NO ? 0 : 1;
            boolean fits = nodeClass.layout.verdict(device, want.column()) == Verdict.YES
                    && nodeClass.state.has(nodeClass.layout, want, device)
                    && isShared(
                            nodeClass.layout, bond, value, nodeClass.layout.value(device, bond.source(want.column())));
            open += fits ? 1 : 0;
        }
        return open >= (want.all() ? Math.max(1, matching) : want.spec().count());
    }

    private static boolean isShared(Layout layout, Bond bond, int one, int other) {
        if (one == other || other < 0) {
            return one == other;
        }
        int[] members = layout.members(bond.attribute(), other);
        return Arrays.stream(layout.members(bond.attribute(), one))
                .anyMatch(member -> Arrays.binarySearch(members, member) >= 0);
    }
}

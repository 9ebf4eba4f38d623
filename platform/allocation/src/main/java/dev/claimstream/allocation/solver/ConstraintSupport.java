package dev.claimstream.allocation.solver;

import java.util.Arrays;

/**
 * Finds the devices with support for their constraints on a node. A device has support if, for each request under one
 * of its {@code matchAttribute} constraints, enough available devices share a value with it.
 */
final class ConstraintSupport {
    private ConstraintSupport() {}

    static boolean[] supportedDevices(AllocationProblem problem, NodeEquivalenceClass nodeClass, RequestOption option) {
        NodeLayout layout = nodeClass.layout;
        boolean[] partnered = new boolean[layout.size];
        for (int device = 0; device < layout.size; device++) {
            partnered[device] = true;
            for (AttributeConstraint constraint : problem.constraints()) {
                if (constraint.appliesTo(option.column()) && !constraint.distinct()) {
                    partnered[device] &= isSupported(
                            problem, nodeClass, constraint, layout.value(device, constraint.source(option.column())));
                }
            }
        }
        return partnered;
    }

    private static boolean isSupported(
            AllocationProblem problem, NodeEquivalenceClass nodeClass, AttributeConstraint constraint, int value) {
        return value >= 0
                && problem.requests().get(constraint.claim()).stream()
                        .filter(options -> options.stream().anyMatch(option -> constraint.appliesTo(option.column())))
                        .allMatch(options -> options.stream()
                                .anyMatch(option -> constraint.appliesTo(option.column())
                                        && isSupportedByOption(nodeClass, constraint, value, option)));
    }

    /** A request for all devices needs the value on each matching device. */
    private static boolean isSupportedByOption(
            NodeEquivalenceClass nodeClass, AttributeConstraint constraint, int value, RequestOption option) {
        long open = 0;
        long matching = 0;
        for (int device = 0; device < nodeClass.layout.size; device++) {
            matching += nodeClass.layout.eligibility(device, option.column()) == DeviceEligibility.NO ? 0 : 1;
            boolean fits = nodeClass.layout.eligibility(device, option.column()) == DeviceEligibility.YES
                    && nodeClass.state.isAllocatable(nodeClass.layout, option, device)
                    && haveCommonValue(
                            nodeClass.layout,
                            constraint,
                            value,
                            nodeClass.layout.value(device, constraint.source(option.column())));
            open += fits ? 1 : 0;
        }
        return open
                >= (option.isAllDevices()
                        ? Math.max(1, matching)
                        : option.spec().count());
    }

    private static boolean haveCommonValue(NodeLayout layout, AttributeConstraint constraint, int one, int other) {
        if (one == other || other < 0) {
            return one == other;
        }
        int[] members = layout.members(constraint.attribute(), other);
        return Arrays.stream(layout.members(constraint.attribute(), one))
                .anyMatch(member -> Arrays.binarySearch(members, member) >= 0);
    }
}

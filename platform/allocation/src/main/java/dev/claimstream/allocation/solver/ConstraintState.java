package dev.claimstream.allocation.solver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Values that the constraints of a problem are fixed to at one point of a search. Each value is a set, mostly with one
 * member. {@code matchAttribute} needs one member that all values share; {@code distinctAttribute} needs disjoint
 * values.
 */
final class ConstraintState {
    private static final int UNSET = Integer.MIN_VALUE;

    private final List<AttributeConstraint> constraints;
    private final NodeLayout layout;
    /** Per constraint, the values of the allocated devices, in the order of allocation. */
    private final List<List<Integer>> values = new ArrayList<>();
    /** Per {@code matchAttribute} constraint, the members that all devices share, after each device. */
    private final List<List<int[]>> common = new ArrayList<>();

    ConstraintState(AllocationProblem problem, NodeLayout layout, Set<Relaxation> relaxed) {
        this.constraints = relaxed.contains(Relaxation.CONSTRAINTS) ? List.of() : problem.constraints();
        this.layout = layout;
        constraints.forEach(constraint -> {
            values.add(new ArrayList<>());
            common.add(new ArrayList<>());
        });
    }

    /** Whether the constraints of an option admit a device; the first constraint that does not admit it decides. */
    enum Admissibility {
        /** All constraints admit the device. */
        YES,
        /** A constraint rejects the device. */
        NO,
        /** The value of the attribute could not be derived. */
        FAILED
    }

    Admissibility admissibility(int column, int device) {
        for (int i = 0; i < constraints.size(); i++) {
            AttributeConstraint constraint = constraints.get(i);
            if (constraint.appliesTo(column)) {
                int found = layout.value(device, constraint.source(column));
                if (found == NodeLayout.FAILED) {
                    return Admissibility.FAILED;
                }
                if (!isAdmissible(i, found)) {
                    return Admissibility.NO;
                }
            }
        }
        return Admissibility.YES;
    }

    private boolean isAdmissible(int constraint, int found) {
        if (found == NodeLayout.ABSENT) {
            return false;
        }
        List<Integer> before = values.get(constraint);
        if (before.isEmpty()) {
            return true;
        }
        if (found == NodeLayout.INCOMPARABLE) {
            return false;
        }
        return constraints.get(constraint).distinct()
                ? isDistinct(constraint, before, found)
                : isCommon(constraint, before, found);
    }

    private boolean isDistinct(int constraint, List<Integer> before, int found) {
        for (int other : before) {
            if (other == found
                    || (other >= 0
                            && intersection(members(constraint, other), members(constraint, found)).length > 0)) {
                return false;
            }
        }
        return true;
    }

    private boolean isCommon(int constraint, List<Integer> before, int found) {
        return before.getFirst() >= 0
                && intersection(common.get(constraint).getLast(), members(constraint, found)).length > 0;
    }

    private int[] members(int constraint, int value) {
        return layout.members(constraints.get(constraint).attribute(), value);
    }

    private static int[] intersection(int[] one, int[] other) {
        if (one.length == 1 && other.length == 1) {
            return one[0] == other[0] ? one : new int[0];
        }
        return Arrays.stream(one)
                .filter(member -> Arrays.binarySearch(other, member) >= 0)
                .toArray();
    }

    void add(int column, int device) {
        for (int i = 0; i < constraints.size(); i++) {
            if (constraints.get(i).appliesTo(column)) {
                int found = layout.value(device, constraints.get(i).source(column));
                values.get(i).add(found);
                if (!constraints.get(i).distinct() && found >= 0) {
                    List<int[]> before = common.get(i);
                    int[] parts = members(i, found);
                    before.add(before.isEmpty() ? parts : intersection(before.getLast(), parts));
                }
            }
        }
    }

    /** Reverts the last {@link #add}. */
    void remove(int column) {
        for (int i = 0; i < constraints.size(); i++) {
            if (constraints.get(i).appliesTo(column)) {
                int last = values.get(i).removeLast();
                if (!constraints.get(i).distinct() && last >= 0) {
                    common.get(i).removeLast();
                }
            }
        }
    }

    void addToKey(int claim, Ints key) {
        for (int i = 0; i < constraints.size(); i++) {
            if (constraints.get(i).claim() != claim) {
                continue;
            }
            List<Integer> before = values.get(i);
            if (constraints.get(i).distinct()) {
                key.add(before.size());
                before.stream().sorted().forEach(key::add);
            } else if (before.isEmpty() || common.get(i).isEmpty()) {
                key.add(before.isEmpty() ? UNSET : NodeLayout.INCOMPARABLE);
            } else {
                int[] now = common.get(i).getLast();
                key.add(now.length);
                Arrays.stream(now).forEach(key::add);
            }
        }
    }
}

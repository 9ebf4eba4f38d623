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
final class Bonds {
    private static final int UNSET = Integer.MIN_VALUE;

    private final List<Bond> bonds;
    private final Layout layout;
    /** Per constraint, the values of the allocated devices, in the order of allocation. */
    private final List<List<Integer>> seen = new ArrayList<>();
    /** Per {@code matchAttribute} constraint, the members that all devices share, after each device. */
    private final List<List<int[]>> common = new ArrayList<>();

    Bonds(Question question, Layout layout, Set<Relaxation> relaxed) {
        this.bonds = relaxed.contains(Relaxation.CONSTRAINTS) ? List.of() : question.bonds();
        this.layout = layout;
        bonds.forEach(bond -> {
            seen.add(new ArrayList<>());
            common.add(new ArrayList<>());
        });
    }

    /** Whether the constraints of an option admit a device; the first constraint that does not admit it decides. */
    enum Answer {
        /** All constraints admit the device. */
        YES,
        /** A constraint rejects the device. */
        NO,
        /** The value of the attribute could not be derived. */
        FAILED
    }

    Answer allow(int column, int device) {
        for (int i = 0; i < bonds.size(); i++) {
            Bond bond = bonds.get(i);
            if (bond.binds(column)) {
                int found = layout.value(device, bond.source(column));
                if (found == Layout.FAILED) {
                    return Answer.FAILED;
                }
                if (!allows(i, found)) {
                    return Answer.NO;
                }
            }
        }
        return Answer.YES;
    }

    private boolean allows(int bond, int found) {
        if (found == Layout.ABSENT) {
            return false;
        }
        List<Integer> before = seen.get(bond);
        if (before.isEmpty()) {
            return true;
        }
        if (found == Layout.INCOMPARABLE) {
            return false;
        }
        return bonds.get(bond).distinct() ? isDistinct(bond, before, found) : isCommon(bond, before, found);
    }

    private boolean isDistinct(int bond, List<Integer> before, int found) {
        for (int other : before) {
            if (other == found || (other >= 0 && meet(members(bond, other), members(bond, found)).length > 0)) {
                return false;
            }
        }
        return true;
    }

    private boolean isCommon(int bond, List<Integer> before, int found) {
        return before.getFirst() >= 0 && meet(common.get(bond).getLast(), members(bond, found)).length > 0;
    }

    private int[] members(int bond, int value) {
        return layout.members(bonds.get(bond).attribute(), value);
    }

    private static int[] meet(int[] one, int[] other) {
        if (one.length == 1 && other.length == 1) {
            return one[0] == other[0] ? one : new int[0];
        }
        return Arrays.stream(one)
                .filter(member -> Arrays.binarySearch(other, member) >= 0)
                .toArray();
    }

    void add(int column, int device) {
        for (int i = 0; i < bonds.size(); i++) {
            if (bonds.get(i).binds(column)) {
                int found = layout.value(device, bonds.get(i).source(column));
                seen.get(i).add(found);
                if (!bonds.get(i).distinct() && found >= 0) {
                    List<int[]> before = common.get(i);
                    int[] parts = members(i, found);
                    before.add(before.isEmpty() ? parts : meet(before.getLast(), parts));
                }
            }
        }
    }

    /** Reverts the last {@link #add}. */
    void remove(int column) {
        for (int i = 0; i < bonds.size(); i++) {
            if (bonds.get(i).binds(column)) {
                int last = seen.get(i).removeLast();
                if (!bonds.get(i).distinct() && last >= 0) {
                    common.get(i).removeLast();
                }
            }
        }
    }

    void addState(int claim, Ints key) {
        for (int i = 0; i < bonds.size(); i++) {
            if (bonds.get(i).claim() != claim) {
                continue;
            }
            List<Integer> before = seen.get(i);
            if (bonds.get(i).distinct()) {
                key.add(before.size());
                before.stream().sorted().forEach(key::add);
            } else if (before.isEmpty() || common.get(i).isEmpty()) {
                key.add(before.isEmpty() ? UNSET : Layout.INCOMPARABLE);
            } else {
                int[] now = common.get(i).getLast();
                key.add(now.length);
                Arrays.stream(now).forEach(key::add);
            }
        }
    }
}

package dev.claimstream.allocation.solver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * What the constraints of a question have settled on, at one point of a search. Values are sets, most of them of one member: equal
 * means that all have a member in common, distinct means that no two have.
 */
final class Bonds {
    private static final int UNSET = Integer.MIN_VALUE;

    private final List<Bond> bonds;
    private final Layout layout;
    /** Per constraint, the values of its devices in the order in which they came. */
    private final List<List<Integer>> seen = new ArrayList<>();
    /** Per constraint on equal values, what its devices have in common, one entry per device. */
    private final List<List<int[]>> common = new ArrayList<>();

    Bonds(Question question, Layout layout, Set<Relaxation> relaxed) {
        this.bonds = relaxed.contains(Relaxation.CONSTRAINTS) ? List.of() : question.bonds();
        this.layout = layout;
        bonds.forEach(bond -> {
            seen.add(new ArrayList<>());
            common.add(new ArrayList<>());
        });
    }

    /** Whether every constraint on this want lets the device in. */
    boolean allow(int column, int device) {
        for (int i = 0; i < bonds.size(); i++) {
            Bond bond = bonds.get(i);
            if (bond.binds(column) && !allows(i, layout.value(device, bond.attribute()))) {
                return false;
            }
        }
        return true;
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
                int found = layout.value(device, bonds.get(i).attribute());
                seen.get(i).add(found);
                if (!bonds.get(i).distinct() && found >= 0) {
                    List<int[]> before = common.get(i);
                    int[] parts = members(i, found);
                    before.add(before.isEmpty() ? parts : meet(before.getLast(), parts));
                }
            }
        }
    }

    /** Undoes the last {@link #add}. */
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

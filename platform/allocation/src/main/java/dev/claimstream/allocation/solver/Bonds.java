package dev.claimstream.allocation.solver;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/** What the constraints of a question have settled on, at one point of a search. */
final class Bonds {
    private static final int UNSET = Integer.MIN_VALUE;

    private final List<Bond> bonds;
    private final Layout layout;
    private final int[] value;
    private final int[] count;
    private final List<List<Integer>> seen = new ArrayList<>();

    Bonds(Question question, Layout layout, Set<Relaxation> relaxed) {
        this.bonds = relaxed.contains(Relaxation.CONSTRAINTS) ? List.of() : question.bonds();
        this.layout = layout;
        this.value = new int[bonds.size()];
        this.count = new int[bonds.size()];
        bonds.forEach(bond -> seen.add(new ArrayList<>()));
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
        if (bonds.get(bond).distinct()) {
            return seen.get(bond).isEmpty()
                    || (found != Layout.INCOMPARABLE && !seen.get(bond).contains(found));
        }
        return count[bond] == 0 || (found != Layout.INCOMPARABLE && found == value[bond]);
    }

    void add(int column, int device) {
        for (int i = 0; i < bonds.size(); i++) {
            if (bonds.get(i).binds(column)) {
                int found = layout.value(device, bonds.get(i).attribute());
                if (bonds.get(i).distinct()) {
                    seen.get(i).add(found);
                } else if (count[i]++ == 0) {
                    value[i] = found;
                }
            }
        }
    }

    /** Undoes the last {@link #add}. */
    void remove(int column) {
        for (int i = 0; i < bonds.size(); i++) {
            if (bonds.get(i).binds(column)) {
                if (bonds.get(i).distinct()) {
                    seen.get(i).removeLast();
                } else {
                    count[i]--;
                }
            }
        }
    }

    void addState(int claim, Ints key) {
        for (int i = 0; i < bonds.size(); i++) {
            if (bonds.get(i).claim() != claim) {
                continue;
            }
            if (bonds.get(i).distinct()) {
                List<Integer> values = new ArrayList<>(seen.get(i));
                Collections.sort(values);
                key.add(values.size());
                values.forEach(key::add);
            } else {
                key.add(count[i] == 0 ? UNSET : value[i]);
            }
        }
    }
}

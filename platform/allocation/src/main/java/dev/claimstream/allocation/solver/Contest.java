package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.NodeView;
import dev.claimstream.allocation.inventory.SharedCounters;
import dev.claimstream.allocation.inventory.Slot;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Detects problems that compete for the same devices of a node, whether or not the devices are allocated. */
final class Contest {
    private Contest() {}

    /** Returns whether both problems match one device, or devices that consume counters of one pool. */
    static boolean isBetween(Question one, Question other, NodeView node) {
        List<SharedCounters> counters = new ArrayList<>();
        List<SharedCounters> otherCounters = new ArrayList<>();
        for (Slot slot : node.slots()) {
            boolean isWanted = isWanted(one, slot);
            boolean isWantedByOther = isWanted(other, slot);
            if (isWanted && isWantedByOther) {
                return true;
            }
            if ((isWanted || isWantedByOther) && slot.counters().isPresent()) {
                (isWanted ? counters : otherCounters).add(slot.counters().get().pool());
            }
        }
        return !Collections.disjoint(counters, otherCounters);
    }

    private static boolean isWanted(Question question, Slot slot) {
        for (Want want : question.wants()) {
            if (want.verdict(question, slot) != Verdict.NO) {
                return true;
            }
        }
        return false;
    }
}

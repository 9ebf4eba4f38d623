package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.NodeView;
import dev.claimstream.allocation.inventory.SharedCounters;
import dev.claimstream.allocation.inventory.Slot;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Whether two questions are after the same devices of a node, whoever holds them: then what one gets the other may lack. */
final class Contest {
    private Contest() {}

    /** Devices that take of the counters of one pool stand in each other's way, too. */
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

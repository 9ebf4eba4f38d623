package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceCandidate;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.allocation.inventory.SharedCounters;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Detects problems that compete for the same devices of a node, whether or not the devices are allocated. */
final class DeviceContention {
    private DeviceContention() {}

    /** Returns whether both problems match one device, or devices that consume counters of one pool. */
    static boolean exists(AllocationProblem one, AllocationProblem other, NodeDeviceView node) {
        List<SharedCounters> counters = new ArrayList<>();
        List<SharedCounters> otherCounters = new ArrayList<>();
        for (DeviceCandidate candidate : node.candidates()) {
            boolean isCandidate = isCandidate(one, candidate);
            boolean isCandidateOfOther = isCandidate(other, candidate);
            if (isCandidate && isCandidateOfOther) {
                return true;
            }
            if ((isCandidate || isCandidateOfOther) && candidate.counters().isPresent()) {
                (isCandidate ? counters : otherCounters)
                        .add(candidate.counters().get().pool());
            }
        }
        return !Collections.disjoint(counters, otherCounters);
    }

    private static boolean isCandidate(AllocationProblem problem, DeviceCandidate candidate) {
        for (RequestOption option : problem.options()) {
            if (option.eligibility(problem, candidate) != DeviceEligibility.NO) {
                return true;
            }
        }
        return false;
    }
}

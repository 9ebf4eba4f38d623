package dev.claimstream.allocation.solver;

import dev.claimstream.dra.ObjectKey;
import java.util.List;

/**
 * Number of candidates for one request option after each filter step.
 *
 * @param requestedCount number of requested devices; 0 for all
 */
public record Funnel(
        ObjectKey claim, String request, String deviceClass, long requestedCount, List<FunnelStage> stages) {
    public Funnel {
        stages = List.copyOf(stages);
    }

    /** Copies the counts to a claim with the same request. */
    public Funnel withClaim(ObjectKey other) {
        return new Funnel(other, request, deviceClass, requestedCount, stages);
    }

    /**
     * Number of remaining candidates after one step.
     *
     * @param detail class, number of the selector, capacities, attribute or node, depending on the step
     */
    public record FunnelStage(FunnelStep step, String detail, long remaining) {}

    /** Filter steps in their order. Records store the constant names: do not rename them. */
    public enum FunnelStep {
        /** Devices of the newest pool generations. */
        Known,
        /** The class selects the device. */
        OfClass,
        /** The device passes a selector of the request. */
        PassesSelector,
        /** The unallocated device would satisfy the requested capacities. */
        HasCapacity,
        /** The device is in a usable pool and on a usable node that the pod allows. */
        OnAllowedNode,
        /** The request tolerates the taints. */
        Tolerated,
        /** The device is not allocated. */
        Free,
        /** Largest number of candidates on one node. */
        OnOneNode,
        /** Enough other devices of the node satisfy a constraint together with the device. */
        SatisfiesConstraint
    }
}

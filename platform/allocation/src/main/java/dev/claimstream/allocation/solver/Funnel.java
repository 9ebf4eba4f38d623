package dev.claimstream.allocation.solver;

import dev.claimstream.dra.ObjectKey;
import java.util.List;

/**
 * How the candidates for one request, or one alternative of it, shrink.
 *
 * @param wanted how many devices, 0 for all
 */
public record Funnel(ObjectKey claim, String request, String deviceClass, long wanted, List<Stage> stages) {
    public Funnel {
        stages = List.copyOf(stages);
    }

    /** The same for a claim that asks for the same. */
    public Funnel of(ObjectKey other) {
        return new Funnel(other, request, deviceClass, wanted, stages);
    }

    /**
     * What is left after a step.
     *
     * @param detail the class, the number of the selector, the amounts, the attribute, or the node
     */
    public record Stage(Step step, String detail, long left) {}

    /** The steps, in this order. The names are stable. */
    public enum Step {
        /** Devices of the newest generations. */
        Known,
        /** The class selects them. */
        OfClass,
        /** They pass a selector of the request. */
        PassesSelector,
        /** They serve the amounts of capacities that the request asks for, while the devices are free. */
        HasCapacity,
        /** They are in usable pools, on nodes that are usable and allowed. */
        OnAllowedNode,
        /** Their taints are tolerated. */
        Tolerated,
        /** Nobody holds them. */
        Free,
        /** The most of them on one node. */
        OnOneNode,
        /** They have partners on their node that satisfy a constraint. */
        SatisfiesConstraint
    }
}

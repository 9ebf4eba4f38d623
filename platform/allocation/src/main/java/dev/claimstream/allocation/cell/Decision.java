package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ObjectKey;
import java.util.List;

/**
 * A decision on one claim.
 *
 * @param number unique in the cell and increasing
 * @param item the work item that it was decided with
 */
public record Decision(ObjectKey claim, String claimUid, long number, ItemId item, DecisionResult result) {
    /** The result of a decision on a claim. */
    public sealed interface DecisionResult {
        /**
         * The claim gets these devices for these consumers.
         *
         * <p>Repeated when consumers are added, and when the claim has changed without an allocation.
         *
         * @param node the node for which the devices were chosen
         * @param claimVersion version of the claim at the decision. The writer commits only to this version, so that an
         *     allocation that was committed and cleared is not committed again; 0 if unknown
         */
        record Allocated(String node, Allocation allocation, List<ClaimConsumer> reservedFor, long claimVersion)
                implements DecisionResult {
            public Allocated {
                reservedFor = List.copyOf(reservedFor);
            }

            /** An allocation of a claim whose version is unknown. */
            public Allocated(String node, Allocation allocation, List<ClaimConsumer> reservedFor) {
                this(node, allocation, reservedFor, 0);
            }
        }

        /** The claim is pending. {@link Reason#SearchBudgetExhausted} means that the search budget was exhausted. */
        record Pending(Reason reason, String message) implements DecisionResult {}

        /**
         * The allocation of this decision number must not be committed any more.
         *
         * <p>Cause: a device was lost, or no pod uses the claim. Its devices stay allocated until the writer confirms
         * that the claim does not have them.
         */
        record Revoked(Allocated allocated, String message) implements DecisionResult {}

        /**
         * The writer is to clear the claim's allocation, which keeps its only pod from every node.
         *
         * <p>The devices are free once the claim is observed without allocation.
         *
         * @param allocation the current allocation, which is to be cleared
         * @param consumer the only permitted entry of {@code reservedFor}: the pod or its PodGroup
         * @param claimVersion version of the claim at the decision
         */
        record Deallocation(Allocation allocation, ClaimConsumer consumer, long claimVersion, String message)
                implements DecisionResult {}

        /** The claim's devices are free. */
        record Released() implements DecisionResult {}
    }
}

package dev.claimstream.allocation.solver;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Result of planning an item: an allocation, or a reason why the item is pending. A plan does not change any state. */
public sealed interface AllocationPlan {
    /** Counted search steps. */
    long steps();

    /**
     * The item fits.
     *
     * @param node the node of the allocations
     * @param allocations one per claim of the problem, in the same order, without a timestamp
     */
    record Allocated(String node, List<Allocation> allocations, NodeChoice choice, long steps)
            implements AllocationPlan {}

    /**
     * The item does not fit now, is rejected, or is undecided. Reason and diagnosis are computed on demand, and only
     * valid until the inventory changes.
     */
    final class Pending implements AllocationPlan {
        private final long steps;
        private final Supplier<Reason> reasonSupplier;
        private final Supplier<PendingDiagnosis> diagnosisSupplier;

        Pending(long steps, Supplier<Reason> reasoning, Supplier<PendingDiagnosis> diagnosing) {
            this.steps = steps;
            this.reasonSupplier = reasoning;
            this.diagnosisSupplier = diagnosing;
        }

        public Pending withDiagnosis(PendingDiagnosis known) {
            return new Pending(steps, known::reason, () -> known);
        }

        /** Returns this plan with a note at the end of its message. */
        public Pending withNote(String note) {
            return new Pending(steps, reasonSupplier, () -> {
                PendingDiagnosis plain = diagnosisSupplier.get();
                return new PendingDiagnosis(plain.reason(), "%s; %s".formatted(plain.message(), note), plain.nearest());
            });
        }

        /** Returns this plan with a number of steps. */
        public Pending withSteps(long counted) {
            return new Pending(counted, reasonSupplier, diagnosisSupplier);
        }

        /** Returns the reason, which is often known without a diagnosis. */
        public Reason reason() {
            return reasonSupplier.get();
        }

        /** Computes the full diagnosis; each call computes it again. */
        public PendingDiagnosis diagnosis() {
            return diagnosisSupplier.get();
        }

        @Override
        public long steps() {
            return steps;
        }
    }

    /**
     * Why this node was selected.
     *
     * @param feasibleNodes number of nodes with a solution
     * @param rationale short text
     * @param secondNode the second-best node
     * @param secondRationale short text on why the second-best node lost
     */
    record NodeChoice(
            PlacementPolicy policy,
            int feasibleNodes,
            String rationale,
            Optional<String> secondNode,
            String secondRationale) {}

    /**
     * Why the item is pending.
     *
     * @param message one line with numbers
     * @param nearest the node that is closest to a fit
     */
    record PendingDiagnosis(Reason reason, String message, Optional<NearestNode> nearest) {
        /** Returns a diagnosis without a nearest node. */
        static PendingDiagnosis of(Reason reason, String message) {
            return new PendingDiagnosis(reason, message, Optional.empty());
        }
    }

    /**
     * The node that is closest to a fit.
     *
     * @param blockers allocated devices that would make it fit
     */
    record NearestNode(String node, String message, List<BlockingDevice> blockers) {}

    /** A required device that is allocated to other claims. */
    record BlockingDevice(DeviceId device, List<DeviceHolder> holders) {}

    /**
     * A claim to which a device is allocated.
     *
     * @param state short text on how the claim is used, such as {@code used by no pod}; empty if unknown
     */
    record DeviceHolder(ObjectKey claim, String state) {
        @Override
        public String toString() {
            return state.isEmpty() ? claim.toString() : "%s (%s)".formatted(claim, state);
        }
    }
}

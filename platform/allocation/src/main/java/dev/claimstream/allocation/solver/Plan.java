package dev.claimstream.allocation.solver;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Result of planning an item: an allocation, or a reason why the item is pending. A plan does not change any state. */
public sealed interface Plan {
    /** Counted search steps. */
    long steps();

    /**
     * The item fits.
     *
     * @param node the node of the allocations
     * @param allocations one per claim of the problem, in the same order, without a timestamp
     */
    record Placed(String node, List<Allocation> allocations, Choice choice, long steps) implements Plan {}

    /**
     * The item does not fit now, is rejected, or is undecided. Reason and diagnosis are computed on demand, and only
     * valid until the inventory changes.
     */
    final class Unplaced implements Plan {
        private final long steps;
        private final Supplier<Reason> reasoning;
        private final Supplier<Diagnosis> diagnosing;

        Unplaced(long steps, Supplier<Reason> reasoning, Supplier<Diagnosis> diagnosing) {
            this.steps = steps;
            this.reasoning = reasoning;
            this.diagnosing = diagnosing;
        }

        /** Returns this plan with a given diagnosis. */
        public Unplaced because(Diagnosis known) {
            return new Unplaced(steps, known::reason, () -> known);
        }

        /** Returns this plan with a number of steps. */
        public Unplaced after(long counted) {
            return new Unplaced(counted, reasoning, diagnosing);
        }

        /** Returns the reason, which is often known without a diagnosis. */
        public Reason reason() {
            return reasoning.get();
        }

        /** Computes the full diagnosis; each call computes it again. */
        public Diagnosis diagnosis() {
            return diagnosing.get();
        }

        @Override
        public long steps() {
            return steps;
        }
    }

    /**
     * Why this node was selected.
     *
     * @param fitting number of nodes with a solution
     * @param because short text
     * @param second the second-best node
     * @param secondBecause short text on why the second-best node lost
     */
    record Choice(Policy policy, int fitting, String because, Optional<String> second, String secondBecause) {}

    /**
     * Why the item is pending.
     *
     * @param message one line with numbers
     * @param nearest the node that is closest to a fit
     */
    record Diagnosis(Reason reason, String message, Optional<NearestMiss> nearest) {}

    /**
     * The node that is closest to a fit.
     *
     * @param blockers allocated devices that would make it fit
     */
    record NearestMiss(String node, String message, List<Blocker> blockers) {}

    /** A required device that is allocated to other claims. */
    record Blocker(DeviceId device, List<DeviceHolder> holders) {}

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

package dev.claimstream.allocation.solver;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** What planning an item came to. Nothing is changed by it. */
public sealed interface Plan {
    /** Counted steps of the search. */
    long steps();

    /**
     * It fits.
     *
     * @param node the node for which it was solved
     * @param allocations one per claim asked for, in their order, without a time
     */
    record Placed(String node, List<Allocation> allocations, Choice choice, long steps) implements Plan {}

    /**
     * It does not fit now, cannot be asked, or was not decided. Why is found out when somebody asks, and only until the inventory
     * changes.
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

        /** The same, where somebody else knows why. */
        public Unplaced because(Diagnosis known) {
            return new Unplaced(steps, known::reason, () -> known);
        }

        /** The same after so many steps. */
        public Unplaced after(long counted) {
            return new Unplaced(counted, reasoning, diagnosing);
        }

        /** The reason alone; often known without a diagnosis. */
        public Reason reason() {
            return reasoning.get();
        }

        /** Why, in full, found out anew each time. */
        public Diagnosis diagnosis() {
            return diagnosing.get();
        }

        @Override
        public long steps() {
            return steps;
        }
    }

    /**
     * Why this node.
     *
     * @param fitting on how many nodes it fits
     * @param because in a few words
     */
    record Choice(Policy policy, int fitting, String because, Optional<String> second, String secondBecause) {}

    /**
     * Why not.
     *
     * @param message one line with numbers
     * @param nearest the node that comes nearest to fitting
     */
    record Diagnosis(Reason reason, String message, Optional<NearestMiss> nearest) {}

    /**
     * The node that comes nearest.
     *
     * @param blockers who holds the devices that would make it fit
     */
    record NearestMiss(String node, String message, List<Blocker> blockers) {}

    /** A device that is needed and held. */
    record Blocker(DeviceId device, List<DeviceHolder> holders) {}

    /**
     * A claim that holds a device.
     *
     * @param state how the claim uses it, in a few words, such as {@code used by no pod}; empty where nothing is known
     */
    record DeviceHolder(ObjectKey claim, String state) {
        @Override
        public String toString() {
            return state.isEmpty() ? claim.toString() : "%s (%s)".formatted(claim, state);
        }
    }
}

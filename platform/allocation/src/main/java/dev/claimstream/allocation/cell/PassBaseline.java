package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason;
import java.util.EnumSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Snapshot of what other pending items depend on, taken before a pass. */
final class PassBaseline {
    private final State state;
    private final StepBuilder step;
    private final SortedMap<String, Rank> earmarks;
    private final long allocations;
    private final long podMoves;

    PassBaseline(State state, StepBuilder step) {
        this.state = state;
        this.step = step;
        this.earmarks = new TreeMap<>(state.earmarks());
        this.allocations = state.count().allocations();
        this.podMoves = state.podAffinity().changes();
    }

    boolean hasMovedPods() {
        return state.podAffinity().changes() > podMoves;
    }

    boolean hasAllocated() {
        return state.count().allocations() > allocations;
    }

    /**
     * The reasons of items that may fit now.
     *
     * <p>Earmarked: an earmark was removed. InterPodConstraints: a pod moved. CAPACITY: an offer ended, so another may be
     * made. An allocation helps some, see {@link #reasonsHelpedByAllocation}.
     */
    Set<Reason> triggered() {
        Set<Reason> reasons = EnumSet.noneOf(Reason.class);
        if (!state.earmarks().keySet().containsAll(earmarks.keySet())) {
            reasons.add(Reason.Earmarked);
        }
        if (hasAllocated()) {
            reasons.addAll(reasonsHelpedByAllocation(state));
        }
        if (hasMovedPods()) {
            reasons.add(Reason.InterPodConstraints);
        }
        if (step.takeOfferEnded()) {
            reasons.addAll(QueueCursor.reasonsTriggeredBy(EnumSet.of(Reason.RetryTrigger.CAPACITY)));
        }
        reasons.addAll(step.takeReasonsOfEndedWork());
        return reasons;
    }

    /**
     * The reasons of items that another item's allocation can help.
     *
     * <p>SelectorError: a selector is not evaluated on a device in use. If node-allocatable resources are enabled,
     * other devices that use less of their node may be chosen.
     */
    static Set<Reason> reasonsHelpedByAllocation(State state) {
        return new NodeResourceAccounting(state).isEnabled()
                ? EnumSet.of(Reason.SelectorError, Reason.NodeFull, Reason.NodeResourcesUnknown)
                : EnumSet.of(Reason.SelectorError);
    }
}

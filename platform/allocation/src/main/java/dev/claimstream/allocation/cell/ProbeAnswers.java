package dev.claimstream.allocation.cell;

import java.util.List;

/** Answers probes once everything before them is decided and explained. */
final class ProbeAnswers {
    /** A probe is answered after this many slices even if work is unfinished. */
    private static final int SLICES_MAX = 900;

    private final CycleContext context;
    private final State state;

    ProbeAnswers(CycleContext context) {
        this.context = context;
        this.state = context.state();
    }

    /** Answers complete probes when no work is unfinished, or after {@link #SLICES_MAX} slices. */
    void answer() {
        for (Row.ProbeRow probe : List.copyOf(state.rows(Row.ProbeRow.ALL))) {
            if (isComplete(probe)) {
                if (!state.hasUnfinishedWork() || probe.slices() >= SLICES_MAX) {
                    context.step().apply(List.of(new Fact.Drop(probe.key())), List.of(answer(probe)));
                } else if (context.budget().isSlice()) {
                    context.step().apply(new Fact.Put(probe.afterSlice()));
                }
            }
        }
    }

    /** Whether a probe is about to be answered. */
    boolean isDue() {
        boolean isFinished = state.unfinished().isEmpty() && context.backlog().isEmpty();
        return state.rows(Row.ProbeRow.ALL).stream()
                .anyMatch(probe -> isComplete(probe) && (isFinished || probe.slices() >= SLICES_MAX));
    }

    private static boolean isComplete(Row.ProbeRow probe) {
        return probe.arrivedPartitions().size() >= probe.partitions();
    }

    private Output answer(Row.ProbeRow probe) {
        int items = state.rows(SchedulingRow.ItemRow.ALL).size();
        int pending = state.pending().size();
        return state.coordination().probeAnswer(probe.id(), items - pending, pending);
    }
}

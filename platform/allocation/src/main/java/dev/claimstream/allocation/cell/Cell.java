package dev.claimstream.allocation.cell;

import java.util.List;
import java.util.Optional;

/**
 * A complete allocator for a set of nodes, as a deterministic state machine.
 *
 * <p>Each input leads to facts, which have been applied to the state when {@link #step} returns, and to outputs. Between
 * two inputs every item is allocated or pending with a reason. If the work budget ({@link WorkBudget}) is exhausted,
 * rows keep the unfinished work and {@link Observation.WorkSliceDue} resumes it.
 *
 * <p>Not thread-safe, except for {@link #evaluating}.
 */
public final class Cell {
    private final State state;

    /** For the watchdog thread. Decisions do not depend on it. */
    private volatile Optional<ItemId> evaluating = Optional.empty();

    public Cell(State state) {
        this.state = state;
    }

    /** Returns the state, which only the thread of the cell may change. */
    public State state() {
        return state;
    }

    /** The work item that is being evaluated; empty between inputs. Any thread may call this. */
    public Optional<ItemId> evaluating() {
        return evaluating;
    }

    /** Processes an input. An offset at or below the last applied one is a redelivery and has no effect. */
    public Step step(Input input) {
        if (input.offset() <= state.count().offset()) {
            return new Step(List.of(), List.of(), 0, 0, List.of());
        }
        try {
            var context = CycleContext.of(state, input, item -> evaluating = Optional.of(item));
            return new SchedulingCycle(context).run();
        } finally {
            evaluating = Optional.empty();
        }
    }
}

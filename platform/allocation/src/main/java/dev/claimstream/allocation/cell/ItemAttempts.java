package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.ItemShape;
import dev.claimstream.allocation.solver.Reason;
import java.util.Optional;

/** Attempts single items within the budget of an input. */
final class ItemAttempts {
    private final CycleContext context;
    private final State state;

    ItemAttempts(CycleContext context) {
        this.context = context;
        this.state = context.state();
    }

    /** Attempts an item. Work beyond the budget continues in slices. */
    void tryAllocate(ItemId item, ItemAllocator allocator, WorkSlices.AttemptTrigger trigger) {
        context.evaluating().accept(item);
        SchedulingRow.ItemRow row = state.item(item).orElseThrow();
        WorkItemAssembly assembly = WorkItemAssembly.of(state, item);
        boolean isDeferred = assembly instanceof WorkItemAssembly.Ready ready
                && !allocator.isSettled(row, ready)
                && (context.slices().isSkipped(row, ready, trigger, allocator)
                        || !context.slices().evaluate(row, ready, trigger, allocator));
        if (!isDeferred) {
            context.slices().runMetered(row, trigger, allocator, meter -> {
                ItemResult result = allocator.tryAllocate(row, assembly, meter);
                if (context.apply(row, result, trigger)) {
                    result.failedShape().ifPresent(shape -> joinEquivalent(item, shape));
                }
            });
        }
    }

    /** Attempts an item with the larger search budget. */
    void tryAllocateThoroughly(ItemId item, ItemAllocator allocator, WorkSlices.AttemptTrigger trigger) {
        context.evaluating().accept(item);
        SchedulingRow.ItemRow row = state.item(item).orElseThrow();
        context.slices()
                .runMetered(
                        row,
                        trigger,
                        allocator,
                        meter -> context.step().apply(allocator.tryAllocateThoroughly(row, meter)));
    }

    /** Attempts an item in the turn of its namespace, at once with the larger search budget if necessary. */
    void tryAllocateInTurn(ItemId item, ItemAllocator allocator) {
        if (!isUndecided(item)) {
            tryAllocate(item, allocator, WorkSlices.AttemptTrigger.TURN);
        }
        if (isUndecided(item)) {
            tryAllocateThoroughly(item, allocator, WorkSlices.AttemptTrigger.TURN);
        }
    }

    /** Postpones an item to its turn. An item that needs no search is attempted at once. */
    void postpone(ItemId item, ItemAllocator allocator) {
        SchedulingRow.ItemRow row = state.item(item).orElseThrow();
        if (WorkItemAssembly.of(state, item) instanceof WorkItemAssembly.Ready ready
                && !allocator.isSettled(row, ready)) {
            context.slices().postpone(row, ready, allocator);
        } else {
            tryAllocate(item, allocator, WorkSlices.AttemptTrigger.CHANGED);
        }
    }

    /** Whether the search ended without a result and the item has not had the larger budget. */
    boolean isUndecided(ItemId item) {
        return state.item(item)
                .filter(row -> row.reason().equals(Optional.of(Reason.SearchBudgetExhausted)) && !row.thorough())
                .isPresent();
    }

    /**
     * Adds an item to its equivalence class, so that one attempt covers the class.
     *
     * <p>An earmarked node is closed to all later ranks, so the class stays correct. Items with node-allocatable
     * accounting are excluded: their use of a node depends on more than rows.
     */
    private void joinEquivalent(ItemId item, ItemShape shape) {
        if (shape.accounting().isEmpty()) {
            state.item(item)
                    .filter(row ->
                            row.reason().filter(Reason::isDeviceContention).isPresent())
                    .ifPresent(row -> state.queue().join(row, shape));
        }
    }
}

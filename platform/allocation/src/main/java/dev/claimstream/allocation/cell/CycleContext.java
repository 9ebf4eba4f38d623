package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.WorkMeter;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * What the parts of one scheduling cycle share.
 *
 * @param step collects the result of the cycle
 * @param budget remaining work budget of the input
 * @param slices unfinished work of items
 * @param backlog unfinished passes over pending items
 * @param evaluating receives each item before its attempt
 */
record CycleContext(
        State state,
        Input input,
        StepBuilder step,
        InputWorkBudget budget,
        WorkSlices slices,
        PassBacklog backlog,
        Consumer<ItemId> evaluating) {
    static CycleContext of(State state, Input input, Consumer<ItemId> evaluating) {
        var step = new StepBuilder(state);
        var budget = new InputWorkBudget(state, input);
        return new CycleContext(
                state,
                input,
                step,
                budget,
                new WorkSlices(state, input, budget, step::apply),
                new PassBacklog(state.row(SchedulingRow.BacklogRow.KEY)),
                evaluating);
    }

    /** An allocator for items that have not changed. */
    ItemAllocator allocator(TextPolicy texts) {
        return allocator(new TreeSet<>(), texts);
    }

    /** @param touched items whose pod or claim has changed: they are reported even if the reason is the same */
    ItemAllocator allocator(SortedSet<ItemId> touched, TextPolicy texts) {
        return new ItemAllocator(state, input.at(), touched, texts);
    }

    /**
     * Whether an attempt may only renew texts. True for a refresh while older items of an unfinished pass are still
     * due.
     */
    boolean isTextOnly(WorkSlices.AttemptTrigger trigger) {
        return trigger == WorkSlices.AttemptTrigger.REFRESH && !backlog.isEmpty();
    }

    /** Applies the result of an attempt, unless only texts may change. Returns whether it was applied. */
    boolean apply(SchedulingRow.ItemRow row, ItemResult result, WorkSlices.AttemptTrigger trigger) {
        if (isTextOnly(trigger) && !result.keepsReason(row)) {
            step.addSteps(result.steps());
            slices.keepText();
            return false;
        }
        step.apply(result);
        return true;
    }

    /** Updates the earmark. If the budget is exhausted, the next allocation triggers it again. */
    void earmark() {
        var meter = new WorkMeter(budget.remaining(), state.chargedWork());
        try {
            new EarmarkPolicy(state, meter).earmark().ifPresent(step::apply);
        } catch (WorkMeter.ExhaustedException e) {
            budget.spend(budget.remaining());
            return;
        }
        budget.spend(meter.spent());
    }
}

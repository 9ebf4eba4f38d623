package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.WorkMeter;
import dev.claimstream.dra.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Allocates gangs all or nothing. Each gang is tried once per pass. */
final class GangAllocator {
    /** Units of work for each pending member in one attempt. */
    private static final long MEMBER_COST = 50;

    private final CycleContext context;
    private final State state;
    private final ItemAttempts attempts;
    private final ItemAllocator deciding;
    private final TextPolicy texts;
    private final Set<ObjectKey> tried = new TreeSet<>();
    /** Gangs that were tried and are still incomplete. Only a change outside of the pass can complete them. */
    private final Set<ObjectKey> incomplete = new TreeSet<>();

    GangAllocator(CycleContext context, ItemAttempts attempts, ItemAllocator allocator, TextPolicy texts) {
        this.context = context;
        this.state = context.state();
        this.attempts = attempts;
        this.deciding = allocator;
        this.texts = texts;
    }

    /** Whether the item needs no attempt of its own, because its gang was handled. */
    boolean isDone(ItemId item, WorkSlices.AttemptTrigger trigger) {
        if (Gang.group(state, item).filter(incomplete::contains).isPresent()) {
            return true;
        }
        Optional<Gang> gang = Gang.of(state, item);
        gang.map(each -> each.group().key()).filter(tried::add).ifPresent(group -> {
            tryAllocate(gang.get(), trigger);
            if (Gang.of(state, item).isPresent()) {
                incomplete.add(group);
            }
        });
        return gang.isPresent()
                || state.item(item).filter(SchedulingRow.ItemRow::isPending).isEmpty();
    }

    /** Whether an item belongs to a gang. The unfinished work of a gang continues as one item. */
    boolean isPostponed(ItemId item) {
        Optional<Gang> gang = Gang.of(state, item);
        gang.filter(each -> !each.pending().isEmpty())
                .filter(each -> tried.add(each.group().key()))
                .ifPresent(this::postpone);
        return gang.isPresent();
    }

    private void postpone(Gang gang) {
        SchedulingRow.ItemRow first = worker(gang);
        if (!(WorkItemAssembly.of(state, first.item()) instanceof WorkItemAssembly.Ready)) {
            tryAllocate(gang, WorkSlices.AttemptTrigger.CHANGED); // every member lacks an object and gets that reason
            return;
        }
        endOthers(gang, first);
        attempts.postpone(first.item(), deciding);
        explainNew(gang, first);
    }

    private void explainNew(Gang gang, SchedulingRow.ItemRow worker) {
        for (SchedulingRow.ItemRow row : gang.pending()) {
            if (!row.equals(worker)
                    && WorkSlices.isNew(row)
                    && WorkItemAssembly.of(state, row.item()) instanceof WorkItemAssembly.Ready ready) {
                context.step()
                        .apply(deciding.reportUnfinished(
                                row, ready, "not evaluated yet: the pods of its group are evaluated together"));
            }
        }
    }

    /** The member that carries the work of a gang: the first one that lacks no object. */
    private SchedulingRow.ItemRow worker(Gang gang) {
        return gang.pending().stream()
                .filter(row -> WorkItemAssembly.of(state, row.item()) instanceof WorkItemAssembly.Ready)
                .findFirst()
                .orElseGet(() -> gang.pending().getFirst());
    }

    /** Ends the work of other members. They may have been items of their own, or an earlier first member. */
    private void endOthers(Gang gang, SchedulingRow.ItemRow worker) {
        gang.pending().stream()
                .map(SchedulingRow.ItemRow::item)
                .filter(item -> !item.equals(worker.item()))
                .forEach(context.slices()::end);
    }

    private void tryAllocate(Gang gang, WorkSlices.AttemptTrigger trigger) {
        if (gang.pending().isEmpty()) {
            return;
        }
        SchedulingRow.ItemRow first = worker(gang);
        if (trigger != WorkSlices.AttemptTrigger.REFRESH) {
            endOthers(gang, first);
        }
        boolean isPassedOver = trigger != WorkSlices.AttemptTrigger.TURN
                && state.work(first.item()).isPresent();
        if (isPassedOver && trigger != WorkSlices.AttemptTrigger.REFRESH) {
            explainNew(gang, first);
        }
        if (!isPassedOver && evaluate(gang, first, trigger)) {
            context.slices().runMetered(first, trigger, deciding, meter -> tryAllocate(gang, meter, trigger));
        }
    }

    private boolean evaluate(Gang gang, SchedulingRow.ItemRow first, WorkSlices.AttemptTrigger trigger) {
        for (SchedulingRow.ItemRow row : gang.pending()) {
            if (WorkItemAssembly.of(state, row.item()) instanceof WorkItemAssembly.Ready ready
                    && !deciding.isSettled(row, ready)
                    && !context.slices().evaluate(first, ready, trigger, deciding)) {
                return false;
            }
        }
        return true;
    }

    private void tryAllocate(Gang gang, WorkMeter meter, WorkSlices.AttemptTrigger trigger) {
        meter.charge(MEMBER_COST * gang.pending().size());
        if (gang.pending().size() < gang.missing()) {
            explain(gang, gang.tooFewPods(), texts, trigger);
            return;
        }
        var speculative = new SpeculativeFacts(state);
        try {
            attempt(gang, speculative, meter, trigger);
        } catch (WorkMeter.ExhaustedException e) {
            speculative.rollBack();
            throw e;
        }
    }

    private void attempt(Gang gang, SpeculativeFacts speculative, WorkMeter meter, WorkSlices.AttemptTrigger trigger) {
        var trialAllocator = context.allocator(TextPolicy.KEEP);
        List<SchedulingRow.ItemRow> stillPending = new ArrayList<>();
        List<ItemId> deallocated = new ArrayList<>();
        for (SchedulingRow.ItemRow row : gang.pending()) {
            context.evaluating().accept(row.item());
            ItemResult result = trialAllocator.tryAllocate(
                    state.item(row.item()).orElseThrow(), WorkItemAssembly.of(state, row.item()), meter);
            context.step().addSteps(result.steps());
            speculative.apply(result.facts(), result.outputs());
            if (result.isDeallocation()) {
                deallocated.add(row.item());
            }
            state.item(row.item()).filter(SchedulingRow.ItemRow::isPending).ifPresent(stillPending::add);
        }
        int fitting = gang.pending().size() - stillPending.size();
        if (fitting >= gang.missing() && context.isTextOnly(trigger)) {
            speculative.rollBack();
        } else if (fitting >= gang.missing()) {
            commit(speculative);
        } else {
            speculative.rollBack();
            if (!context.isTextOnly(trigger)) {
                deallocated.forEach(this::deallocate);
            }
            TextPolicy which = isChanged(gang) ? TextPolicy.REPLACE : texts;
            explain(gang, gang.tooFewFit(fitting, stillPending.getFirst()), which, trigger);
        }
    }

    /** Decides a deallocation for one pod of a gang. If one pod has no node, the gang cannot start. */
    private void deallocate(ItemId item) {
        SchedulingRow.ItemRow row = state.item(item).orElseThrow();
        // the speculative attempt has already charged this work
        ItemResult result = context.allocator(TextPolicy.KEEP)
                .tryAllocate(row, WorkItemAssembly.of(state, item), WorkMeter.unlimited());
        if (result.isDeallocation()) {
            context.step().apply(result);
        }
    }

    private void commit(SpeculativeFacts speculative) {
        speculative.rollBack();
        context.step().apply(speculative.facts(), speculative.outputs());
    }

    /** Whether a pod of the gang was added or changed. Then all of its pods get the new text. */
    private boolean isChanged(Gang gang) {
        return gang.pending().stream().anyMatch(row -> deciding.isTouched(row.item()));
    }

    private void explain(
            Gang gang, AllocationPlan.PendingDiagnosis diagnosis, TextPolicy which, WorkSlices.AttemptTrigger trigger) {
        gang.pending().forEach(row -> context.apply(row, deciding.reportPending(row, diagnosis, which), trigger));
    }
}

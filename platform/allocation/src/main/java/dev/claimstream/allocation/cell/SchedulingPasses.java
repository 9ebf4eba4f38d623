package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/** Passes over pending items in queue order: changed and triggered items, items with a turn, items to explain again. */
final class SchedulingPasses {
    private final CycleContext context;
    private final State state;
    private final ItemAttempts attempts;
    private final SortedSet<ItemId> touched;

    /** @param touched items whose pod or claim has changed; the first pass clears it */
    SchedulingPasses(CycleContext context, SortedSet<ItemId> touched) {
        this.context = context;
        this.state = context.state();
        this.attempts = new ItemAttempts(context);
        this.touched = touched;
    }

    PassBaseline baseline() {
        return new PassBaseline(state, context.step());
    }

    // ---- changed and triggered items
    // ------------------------------------------------------------------------------------------

    /**
     * Attempts changed and triggered items, and repeats for items that those attempts trigger.
     *
     * <p>Only a work slice continues a pass that an earlier input left unfinished.
     */
    void drain(Set<Reason> triggered, SortedMap<Rank, ItemId> changed, PassBaseline since) {
        PassBacklog backlog = context.backlog();
        boolean passes = backlog.isEmpty() || context.budget().isSlice();
        backlog.add(triggered);
        PassBaseline before = since;
        SortedMap<Rank, ItemId> items = changed;
        do {
            QueueCursor cursor = passes
                    ? backlog.cursor(state.queue(), items)
                    : QueueCursor.of(state.queue(), EnumSet.noneOf(Reason.class), items, Optional.empty());
            boolean isFinished = tryAllocate(cursor);
            if (passes) {
                if (isFinished) {
                    backlog.finish();
                } else {
                    backlog.stopAt(cursor);
                }
            }
            backlog.add(before.triggered());
            before = baseline();
            items = new TreeMap<>();
        } while (passes && !backlog.isEmpty() && !context.budget().isExhausted());
    }

    private void drain(Set<Reason> triggered) {
        drain(triggered, new TreeMap<>(), baseline());
    }

    /** Attempts the items of a cursor within the budget. Returns whether all of them were attempted. */
    private boolean tryAllocate(QueueCursor cursor) {
        PassBaseline before = baseline();
        ItemAllocator allocator = context.allocator(touched, TextPolicy.KEEP);
        touched.clear();
        context.slices().beginPass();
        List<ItemId> undecided = new ArrayList<>();
        var gangs = new GangAllocator(context, attempts, allocator, TextPolicy.KEEP);
        boolean isFinished = false;
        while (!isFinished && !context.budget().isExhausted()) {
            Optional<ItemId> next = cursor.next();
            isFinished = next.isEmpty();
            var trigger =
                    cursor.isLastChanged() ? WorkSlices.AttemptTrigger.CHANGED : WorkSlices.AttemptTrigger.TRIGGERED;
            next.filter(item -> !gangs.isDone(item, trigger)).ifPresent(item -> {
                attempts.tryAllocate(item, allocator, trigger);
                if (attempts.isUndecided(item)) {
                    undecided.add(item);
                }
            });
        }
        isFinished |= cursor.isExhausted();
        cursor.remainingChanged().stream()
                .filter(item -> !gangs.isPostponed(item))
                .forEach(item -> attempts.postpone(item, allocator));
        tryThoroughly(undecided, allocator);
        if (before.hasAllocated()) {
            context.earmark();
        }
        return isFinished;
    }

    private void tryThoroughly(List<ItemId> undecided, ItemAllocator allocator) {
        undecided.forEach(item -> attempts.tryAllocateThoroughly(item, allocator, WorkSlices.AttemptTrigger.TRIGGERED));
    }

    // ---- unfinished work
    // --------------------------------------------------------------------------------------------------

    /** In a work slice, runs the namespaces with unfinished work in turn. Returns the last of them. */
    String continueWork(String turn) {
        String last = turn;
        if (context.budget().isSlice()) {
            for (int turns = state.unfinished().size();
                    turns > 0 && !context.budget().isExhausted();
                    turns--) {
                Optional<String> namespace = context.slices().namespaceAfter(last);
                if (namespace.isEmpty()) {
                    break;
                }
                last = namespace.get();
                continueNamespace(last);
            }
        }
        return last;
    }

    /** Continues the items of a namespace in queue order, as long as each of them is finished. */
    private void continueNamespace(String namespace) {
        Optional<ItemId> next = context.slices().first(namespace);
        while (next.isPresent() && !context.budget().isExhausted()) {
            ItemId item = next.get();
            PassBaseline before = baseline();
            Optional<Reason> reason = state.item(item).flatMap(SchedulingRow.ItemRow::reason);
            context.slices().beginPass();
            ItemAllocator allocator = context.allocator(TextPolicy.KEEP);
            var gangs = new GangAllocator(context, attempts, allocator, TextPolicy.KEEP);
            if (!gangs.isDone(item, WorkSlices.AttemptTrigger.TURN)) {
                attempts.tryAllocateInTurn(item, allocator);
            }
            if (before.hasAllocated()) {
                context.earmark();
                Set<Reason> triggered = before.triggered();
                reason.filter(Reason::isDeviceContention).ifPresent(triggered::add); // equivalent items were skipped
                drain(triggered);
            }
            next = state.work(item).isPresent()
                    ? Optional.empty()
                    : context.slices().first(namespace);
        }
    }

    // ---- explanations
    // -----------------------------------------------------------------------------------------------------

    /** Attempts the items of a slice of a refresh, then other items that its allocations may help. */
    void explain(RefreshPass pass) {
        PassBaseline before = baseline();
        ItemAllocator allocator = context.allocator(TextPolicy.REPLACE);
        context.slices().beginPass();
        var gangs = new GangAllocator(context, attempts, allocator, TextPolicy.REPLACE);
        List<ItemId> undecided = new ArrayList<>();
        for (var next = pass.next(); next.isPresent(); next = pass.next()) {
            next.filter(item -> !gangs.isDone(item, WorkSlices.AttemptTrigger.REFRESH))
                    .ifPresent(item -> {
                        attempts.tryAllocate(item, allocator, WorkSlices.AttemptTrigger.REFRESH);
                        if (attempts.isUndecided(item)) {
                            undecided.add(item);
                        }
                    });
            if (context.slices().isTextKept()) {
                pass.except(withGang(next.get()));
            }
        }
        tryThoroughly(undecided, allocator);
        if (before.hasAllocated()) {
            context.earmark();
        }
        Set<Reason> triggered = before.triggered();
        if (!triggered.isEmpty()) {
            drain(triggered);
        }
        StateChange rest = pass.end(context.input().at());
        context.step().apply(rest.facts, rest.outputs);
    }

    private List<ItemId> withGang(ItemId item) {
        return Gang.of(state, item)
                .map(gang ->
                        gang.pending().stream().map(SchedulingRow.ItemRow::item).toList())
                .orElseGet(() -> List.of(item));
    }
}

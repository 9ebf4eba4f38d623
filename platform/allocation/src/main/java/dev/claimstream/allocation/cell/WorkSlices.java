package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.EvaluationPortion;
import dev.claimstream.allocation.solver.ItemShape;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.allocation.solver.WorkMeter;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Meters the attempts of one input and keeps unfinished work as rows.
 *
 * <p>The budget can end two parts of an attempt. Evaluation of expressions is charged answer by answer. Everything
 * after it must complete in one piece and collects credit.
 */
final class WorkSlices {
    /** A text is renewed after this many slices. */
    private static final int SLICES_PER_TEXT = 150;

    private static final int SLICES_PER_ALARM = 300;
    /** Units for an item that is skipped. */
    private static final long SKIP_COST = 20;

    private static final Duration ALARM_EVERY = Duration.ofHours(1);
    /** Maximum units of an item outside its turns, in shares of an input. One item must not use up the reserve. */
    private static final int SHARES_OF_ITEM = 20;
    /** Maximum units for renewing one text, in shares of an input. If exceeded, the text stays. */
    private static final int SHARES_OF_REFRESH = 20;

    private final State state;
    private final Input input;
    private final InputWorkBudget budget;
    private final BiConsumer<List<Fact>, List<Output>> sink;
    private boolean isTextKept;
    private final Set<ItemShape> shapes = new LinkedHashSet<>();

    /** @param take applies facts and publishes outputs */
    WorkSlices(State state, Input input, InputWorkBudget budget, BiConsumer<List<Fact>, List<Output>> take) {
        this.state = state;
        this.input = input;
        this.budget = budget;
        this.sink = take;
    }

    /** What triggers an attempt; it determines the budget. */
    enum AttemptTrigger {
        /** The item itself changed. */
        CHANGED,
        /** Something changed that the item may wait for. */
        TRIGGERED,
        /** The item's namespace has its turn in a work slice. */
        TURN,
        /** The text may be outdated. This work has its own budget and is never postponed. */
        REFRESH
    }

    /** Starts a pass: shapes that were unfinished before may be finished now. */
    void beginPass() {
        shapes.clear();
    }

    /**
     * Whether an item is skipped, because work for it or its shape continues in a turn.
     *
     * <p>The item then gets a turn of its own. A new or changed item gets that reason.
     */
    boolean isSkipped(
            SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready, AttemptTrigger trigger, ItemAllocator allocator) {
        boolean hasWork = state.work(row.item()).isPresent();
        if (trigger == AttemptTrigger.TURN || !(hasWork || shapes.contains(ready.shape()))) {
            return false;
        }
        shapes.add(ready.shape());
        spend(SKIP_COST, trigger);
        if (trigger == AttemptTrigger.REFRESH) {
            isTextKept = true;
        } else {
            postpone(row, ready, allocator);
        }
        return true;
    }

    /** Whether the item was never attempted. */
    static boolean isNew(SchedulingRow.ItemRow row) {
        return row.reason().filter(Reason.SourcesNotSynced::equals).isPresent();
    }

    /** Evaluates expressions without cached answers. Returns whether all answers are cached now. */
    boolean evaluate(
            SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready, AttemptTrigger trigger, ItemAllocator allocator) {
        if (state.coordination().isOffered(row.item())) {
            return true;
        }
        boolean isKnownFailure = allocator.hasFailed(ready.shape());
        return (isKnownFailure || evaluate(row, ready, ready.shape(), trigger, allocator))
                && DeallocationCandidates.shape(state, row.item(), ready)
                        .filter(shape -> !evaluate(row, ready, shape, trigger, allocator))
                        .isEmpty();
    }

    private boolean evaluate(
            SchedulingRow.ItemRow row,
            WorkItemAssembly.Ready ready,
            ItemShape shape,
            AttemptTrigger trigger,
            ItemAllocator allocator) {
        long remaining = isBurst(row.item(), trigger) ? 0 : remaining(row.item(), trigger);
        EvaluationPortion portion = state.planner().evaluate(shape, remaining, state.chargedWork());
        spend(portion.cost(), trigger);
        pay(portion, row.item());
        portion.progress().ifPresent(obstacle -> {
            if (trigger == AttemptTrigger.REFRESH) {
                keepText(ready, remaining);
            } else {
                postpone(row, ready, allocator, 0, portion.cost(), () -> obstacle);
            }
        });
        return portion.isFinished();
    }

    /**
     * Whether a namespace with unfinished work brings more while the reserve is overdrawn.
     *
     * <p>Compilations and evaluations may exceed the remaining units, once per input of a burst. So they wait for their
     * turn.
     */
    private boolean isBurst(ItemId item, AttemptTrigger trigger) {
        return trigger == AttemptTrigger.CHANGED
                && budget.isOverdrawn()
                && state.unfinished().containsKey(item.key().namespace());
    }

    private void pay(EvaluationPortion portion, ItemId item) {
        if (!portion.results().isEmpty() || portion.preparation().isPresent()) {
            long devices = state.inventory().slices().devices();
            sink.accept(
                    state.chargedWork().charge(portion, item.key().namespace(), input.offset(), devices), List.of());
        }
    }

    /** Units that one item may use. A namespace with unfinished work does not use the reserve. */
    private long remaining(ItemId item, AttemptTrigger trigger) {
        long itemMax = SHARES_OF_ITEM * state.settings().work().perInput();
        return switch (trigger) {
            case TURN -> budget.remaining();
            case CHANGED ->
                state.unfinished().containsKey(item.key().namespace())
                        ? budget.remainingWithoutReserve()
                        : Math.min(budget.remaining(), itemMax);
            case TRIGGERED -> Math.min(budget.remaining(), itemMax);
            case REFRESH -> Math.min(budget.remainingForTexts(), refreshMax());
        };
    }

    private long refreshMax() {
        return SHARES_OF_REFRESH * state.settings().work().perInput();
    }

    private void spend(long units, AttemptTrigger trigger) {
        if (trigger == AttemptTrigger.REFRESH) {
            budget.spendOnTexts(units);
        } else {
            budget.spend(units);
        }
    }

    /**
     * Leaves the text to a later pass.
     *
     * <p>If the item had its maximum, the same applies to its shape. Otherwise the slice ends before the item.
     */
    private void keepText(WorkItemAssembly.Ready ready, long remaining) {
        if (remaining < refreshMax()) {
            budget.exhaustTextBudget();
        } else {
            shapes.add(ready.shape());
            isTextKept = true;
        }
    }

    /** Records that the text of an item stays. */
    void keepText() {
        isTextKept = true;
    }

    /** Returns and clears whether a text was left unchanged. */
    boolean isTextKept() {
        boolean was = isTextKept;
        isTextKept = false;
        return was;
    }

    /**
     * Runs an attempt with a meter. If the budget is exhausted, the used units become the item's credit.
     *
     * <p>An item that lacks an object, is settled or is offered is attempted in any case: it cannot continue in slices,
     * and it is cheap.
     */
    void runMetered(
            SchedulingRow.ItemRow row, AttemptTrigger trigger, ItemAllocator allocator, Consumer<WorkMeter> look) {
        long credit = state.work(row.item()).map(WorkBudgetRow.WorkRow::credit).orElse(0L);
        long remaining = remaining(row.item(), trigger);
        var meter = new WorkMeter(credit + remaining, state.chargedWork());
        try {
            look.accept(meter);
        } catch (WorkMeter.ExhaustedException e) {
            spend(remaining, trigger);
            if (WorkItemAssembly.of(state, row.item()) instanceof WorkItemAssembly.Ready ready
                    && !allocator.isSettled(row, ready)
                    && !state.coordination().isOffered(row.item())) {
                if (trigger == AttemptTrigger.REFRESH) {
                    keepText(ready, remaining);
                } else {
                    postpone(
                            row,
                            ready,
                            allocator,
                            credit + remaining,
                            remaining,
                            () -> "the search continues in slices: %d units of work done"
                                    .formatted(credit + remaining));
                }
            } else {
                var unready = WorkMeter.unlimited();
                look.accept(unready);
                spend(Math.max(0, unready.spent() - remaining), trigger);
            }
            return;
        }
        spend(Math.max(0, meter.spent() - credit), trigger);
        if (!meter.newIndexes().isEmpty() || !meter.newCounts().isEmpty()) {
            int most = state.planner().chargedIndexesMax();
            String namespace = row.item().key().namespace();
            sink.accept(state.chargedWork().charge(meter, namespace, input.offset(), most), List.of());
        }
        end(row.item());
    }

    /** Ends the unfinished work of an item. */
    void end(ItemId item) {
        state.work(item).ifPresent(work -> sink.accept(List.of(new Fact.Drop(work.key())), List.of()));
    }

    /** Postpones an item until its turn. */
    void postpone(SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready, ItemAllocator allocator) {
        postpone(row, ready, allocator, 0, 0, () -> "not evaluated yet: other items are first in the queue");
    }

    private void postpone(
            SchedulingRow.ItemRow row,
            WorkItemAssembly.Ready ready,
            ItemAllocator allocator,
            long credit,
            long spent,
            Supplier<String> message) {
        shapes.add(ready.shape());
        Optional<WorkBudgetRow.WorkRow> before = state.work(row.item());
        var work = new WorkBudgetRow.WorkRow(
                row.item(),
                row.rank(),
                Math.max(credit, before.map(WorkBudgetRow.WorkRow::credit).orElse(0L)),
                before.map(WorkBudgetRow.WorkRow::spent).orElse(0L) + spent,
                before.map(WorkBudgetRow.WorkRow::slices).orElse(0) + (spent > 0 ? 1 : 0));
        if (!before.equals(Optional.of(work))) {
            sink.accept(List.of(new Fact.Put(work)), List.of());
        }
        boolean isDue = row.reason().filter(Reason.EvaluationPending::equals).isPresent()
                && spent > 0
                && work.slices() % SLICES_PER_TEXT == 2;
        if (isNew(row) || isDue || allocator.isUnfinishedReportDue(row)) {
            ItemResult result = allocator.reportUnfinished(row, ready, message.get());
            sink.accept(result.facts(), result.outputs());
        }
        if (spent > 0 && work.slices() == SLICES_PER_ALARM) {
            alarm(work, ready, message.get());
        }
    }

    private void alarm(WorkBudgetRow.WorkRow work, WorkItemAssembly.Ready ready, String message) {
        String namespace = work.item().key().namespace();
        boolean isRecent = state.row(WorkBudgetRow.WorkAlarmRow.key(namespace))
                .filter(row -> row.at().plus(ALARM_EVERY).isAfter(input.at()))
                .isPresent();
        if (!isRecent) {
            sink.accept(
                    List.of(new Fact.Put(new WorkBudgetRow.WorkAlarmRow(namespace, input.at()))),
                    List.of(new Output.WorkAlarmRaised(work.item(), ready.claims(), message, work.spent())));
        }
    }

    /** The namespace that has the turn after another one. */
    Optional<String> namespaceAfter(String namespace) {
        return state.unfinished().keySet().stream()
                .filter(each -> each.compareTo(namespace) > 0)
                .findFirst()
                .or(() -> state.unfinished().keySet().stream().findFirst());
    }

    /** The first item of a namespace with unfinished work. */
    Optional<ItemId> first(String namespace) {
        return Optional.ofNullable(state.unfinished().get(namespace))
                .map(items -> items.firstEntry().getValue());
    }
}

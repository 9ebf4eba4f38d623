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
 * Meters the looks of one input and keeps what it cannot finish as rows. Two parts of a look end at the allowance: the evaluation of
 * expressions, whose answers are paid one by one, and everything after it, which has to be done in one piece and collects credit.
 */
final class WorkSlices {
    /** The text of an item is renewed after so many slices. */
    private static final int SLICES_PER_TEXT = 150;

    private static final int SLICES_PER_ALARM = 300;
    /** Units for an item that is not looked at now. */
    private static final long PASS_OVER = 20;

    private static final Duration ALARM_EVERY = Duration.ofHours(1);
    /** Outside its turns an item gets so many times the share of an input: one item alone must not use up the reserve. */
    private static final int SHARES_OF_ITEM = 20;
    /** An item that is explained again gets so many times the share of an input; where they do not suffice, its text stays. */
    private static final int SHARES_OF_REFRESH = 20;

    private final State state;
    private final Input input;
    private final Allowance allowance;
    private final BiConsumer<List<Fact>, List<Output>> take;
    private boolean isTextKept;
    private final Set<ItemShape> shapes = new LinkedHashSet<>();

    /** @param take applies facts and passes outputs on */
    WorkSlices(State state, Input input, Allowance allowance, BiConsumer<List<Fact>, List<Output>> take) {
        this.state = state;
        this.input = input;
        this.allowance = allowance;
        this.take = take;
    }

    /** How an item comes to be looked at, which decides how much work it may cause. */
    enum Occasion {
        /** It changed itself. */
        CHANGED,
        /** Something changed that it may wait for. */
        WOKEN,
        /** Its namespace has the turn in a slice. */
        TURN,
        /** Its text may be out of date. It counts apart from the work of the input, and nothing of it is postponed. */
        REFRESH
    }

    /** A new round begins: what was unfinished before may be finished now. */
    void beginRound() {
        shapes.clear();
    }

    /**
     * Whether an item is not looked at now: the work for it, or for another one of its shape, goes on in its own turn. Then it has a turn
     * of its own, and a new or changed item gets that reason.
     */
    boolean isPassedOver(Row.ItemRow row, Assembly.Ready ready, Occasion occasion, Deciding deciding) {
        boolean hasWork = state.work(row.item()).isPresent();
        if (occasion == Occasion.TURN || !(hasWork || shapes.contains(ready.shape()))) {
            return false;
        }
        shapes.add(ready.shape());
        spend(PASS_OVER, occasion);
        if (occasion == Occasion.REFRESH) {
            isTextKept = true;
        } else {
            postpone(row, ready, deciding);
        }
        return true;
    }

    /** Whether an item has not been looked at since it is there. */
    static boolean isNew(Row.ItemRow row) {
        return row.reason().filter(Reason.SourcesNotListed::equals).isPresent();
    }

    /** Evaluates what is not paid yet; returns whether everything is paid now. */
    boolean evaluate(Row.ItemRow row, Assembly.Ready ready, Occasion occasion, Deciding deciding) {
        if (Lending.isOffered(state, row.item())) {
            return true;
        }
        boolean isMissed = deciding.isMissed(ready.shape());
        return (isMissed || evaluate(row, ready, ready.shape(), occasion, deciding))
                && Deallocation.shape(state, row.item(), ready)
                        .filter(shape -> !evaluate(row, ready, shape, occasion, deciding))
                        .isEmpty();
    }

    private boolean evaluate(
            Row.ItemRow row, Assembly.Ready ready, ItemShape shape, Occasion occasion, Deciding deciding) {
        long left = isBurst(row.item(), occasion) ? 0 : left(row.item(), occasion);
        EvaluationPortion portion = state.planner().evaluate(shape, left, state.paid());
        spend(portion.cost(), occasion);
        pay(portion, row.item());
        portion.obstacle().ifPresent(obstacle -> {
            if (occasion == Occasion.REFRESH) {
                keepText(ready, left);
            } else {
                postpone(row, ready, deciding, 0, portion.cost(), () -> obstacle);
            }
        });
        return portion.isFinished();
    }

    /**
     * Whether a namespace that has unfinished work brings more while the reserve is overdrawn. Compilations and evaluations may exceed the
     * units that are left, for every input of a burst, so they have to wait for their turn.
     */
    private boolean isBurst(ItemId item, Occasion occasion) {
        return occasion == Occasion.CHANGED
                && allowance.isOverdrawn()
                && state.unfinished().containsKey(item.key().namespace());
    }

    private void pay(EvaluationPortion portion, ItemId item) {
        if (!portion.answers().isEmpty() || portion.preparation().isPresent()) {
            long devices = state.inventory().devices();
            take.accept(state.paid().paid(portion, item.key().namespace(), input.offset(), devices), List.of());
        }
    }

    /** Units that one item may spend; a namespace with unfinished work does not draw on the reserve. */
    private long left(ItemId item, Occasion occasion) {
        long itemMax = SHARES_OF_ITEM * state.settings().work().perInput();
        return switch (occasion) {
            case TURN -> allowance.left();
            case CHANGED ->
                state.unfinished().containsKey(item.key().namespace())
                        ? allowance.leftWithoutReserve()
                        : Math.min(allowance.left(), itemMax);
            case WOKEN -> Math.min(allowance.left(), itemMax);
            case REFRESH -> Math.min(allowance.leftForTexts(), refreshMax());
        };
    }

    private long refreshMax() {
        return SHARES_OF_REFRESH * state.settings().work().perInput();
    }

    private void spend(long units, Occasion occasion) {
        if (occasion == Occasion.REFRESH) {
            allowance.spendOnTexts(units);
        } else {
            allowance.spend(units);
        }
    }

    /** An item that had all that an item may get, and those of its shape, are explained by a later pass. */
    private void keepText(Assembly.Ready ready, long left) {
        if (left < refreshMax()) {
            allowance.cutTextsShort();
        } else {
            shapes.add(ready.shape());
            isTextKept = true;
        }
    }

    /** The text of an item stays as it is. */
    void keepText() {
        isTextKept = true;
    }

    /** Whether a text stays as it is since this was asked last. */
    boolean isTextKept() {
        boolean was = isTextKept;
        isTextKept = false;
        return was;
    }

    /**
     * Looks at an item; where the allowance does not suffice, the units spent become its credit. An item that lacks an object, is settled or
     * is offered cannot go on in slices, and costs little, so it is looked at in any case.
     */
    void look(Row.ItemRow row, Occasion occasion, Deciding deciding, Consumer<WorkMeter> look) {
        long credit = state.work(row.item()).map(Row.WorkRow::credit).orElse(0L);
        long left = left(row.item(), occasion);
        var meter = new WorkMeter(credit + left, state.paid());
        try {
            look.accept(meter);
        } catch (WorkMeter.ExhaustedException e) {
            spend(left, occasion);
            if (Assembly.of(state, row.item()) instanceof Assembly.Ready ready
                    && !deciding.isSettled(row, ready)
                    && !Lending.isOffered(state, row.item())) {
                if (occasion == Occasion.REFRESH) {
                    keepText(ready, left);
                } else {
                    postpone(
                            row,
                            ready,
                            deciding,
                            credit + left,
                            left,
                            () -> "the search goes on in slices: %d units of work done".formatted(credit + left));
                }
            } else {
                var unready = WorkMeter.unlimited();
                look.accept(unready);
                spend(Math.max(0, unready.spent() - left), occasion);
            }
            return;
        }
        spend(Math.max(0, meter.spent() - credit), occasion);
        if (!meter.newIndexes().isEmpty() || !meter.newCounts().isEmpty()) {
            int most = state.planner().paidIndexesMax();
            String namespace = row.item().key().namespace();
            take.accept(state.paid().paid(meter, namespace, input.offset(), most), List.of());
        }
        end(row.item());
    }

    /** Ends the work of an item. */
    void end(ItemId item) {
        state.work(item).ifPresent(work -> take.accept(List.of(new Fact.Drop(work.key())), List.of()));
    }

    /** It is looked at when it has its turn. */
    void postpone(Row.ItemRow row, Assembly.Ready ready, Deciding deciding) {
        postpone(row, ready, deciding, 0, 0, () -> "not looked at yet: other work comes first");
    }

    private void postpone(
            Row.ItemRow row,
            Assembly.Ready ready,
            Deciding deciding,
            long credit,
            long spent,
            Supplier<String> message) {
        shapes.add(ready.shape());
        Optional<Row.WorkRow> before = state.work(row.item());
        var work = new Row.WorkRow(
                row.item(),
                row.rank(),
                Math.max(credit, before.map(Row.WorkRow::credit).orElse(0L)),
                before.map(Row.WorkRow::spent).orElse(0L) + spent,
                before.map(Row.WorkRow::slices).orElse(0) + (spent > 0 ? 1 : 0));
        if (!before.equals(Optional.of(work))) {
            take.accept(List.of(new Fact.Put(work)), List.of());
        }
        boolean isDue = row.reason().filter(Reason.EvaluationPending::equals).isPresent()
                && spent > 0
                && work.slices() % SLICES_PER_TEXT == 2;
        if (isNew(row) || isDue || deciding.isAwaited(row)) {
            Deciding.Looked told = deciding.goesOn(row, ready, message.get());
            take.accept(told.facts(), told.outputs());
        }
        if (spent > 0 && work.slices() == SLICES_PER_ALARM) {
            alarm(work, ready, message.get());
        }
    }

    private void alarm(Row.WorkRow work, Assembly.Ready ready, String message) {
        String namespace = work.item().key().namespace();
        boolean isRecent = state.workAlarm(namespace)
                .filter(row -> row.at().plus(ALARM_EVERY).isAfter(input.at()))
                .isPresent();
        if (!isRecent) {
            take.accept(
                    List.of(new Fact.Put(new Row.WorkAlarmRow(namespace, input.at()))),
                    List.of(new Output.WorkAlarmed(work.item(), ready.claims(), message, work.spent())));
        }
    }

    /** The namespace that has the turn after another one. */
    Optional<String> turnAfter(String namespace) {
        return state.unfinished().keySet().stream()
                .filter(each -> each.compareTo(namespace) > 0)
                .findFirst()
                .or(() -> state.unfinished().keySet().stream().findFirst());
    }

    /** The first item of a namespace whose work goes on. */
    Optional<ItemId> first(String namespace) {
        return Optional.ofNullable(state.unfinished().get(namespace))
                .map(items -> items.firstEntry().getValue());
    }
}

package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One slice of a pass that renews the explanations of pending items, in queue order.
 *
 * <p>A slice ends after a number of items or units of work. The next tick continues after its last item.
 */
final class RefreshPass {
    /** Delay from a change, or from a slice, to the next slice. */
    static final Duration PAUSE = Duration.ofSeconds(1);

    /**
     * Maximum delay after a pass, in slices of that pass. With it, texts of 10,000 pending items are at most 30 s old.
     */
    static final int PAUSES_MAX = 10;

    /** With more exceptions than this, a pass does not report that texts are renewed. */
    static final int EXCEPT_MAX = 100;

    private final State state;
    private final SchedulingRow.RefreshRow row;
    private final Limit limit;
    private final InputWorkBudget allowance;
    /** Items whose texts this pass leaves unchanged. */
    private final SortedSet<ItemId> except;

    /** Groups met in this slice, and whether their pods are a gang, which needs only one attempt. */
    private final SortedMap<ObjectKey, Boolean> gangs = new TreeMap<>();

    private final Optional<Rank> start;
    private Optional<Rank> last;
    private Optional<Rank> beforeLast;
    private int attempted;
    private int items;
    private boolean isComplete;

    /**
     * The size of one slice.
     *
     * @param shares work, in multiples of an input's share
     */
    record Limit(int items, long shares) {
        /**
         * For a tick: 1,000 equivalent items, or about 10 shapes with 10,000 devices. About 20 ms, between which other
         * inputs run.
         */
        static final Limit TICK = new Limit(1_000, 40);

        /** For a probe, which needs texts of the current state. */
        static final Limit PROBE = new Limit(10_000, 400);
    }

    private RefreshPass(State state, SchedulingRow.RefreshRow row, Limit limit, InputWorkBudget budget) {
        this.state = state;
        this.row = row;
        this.limit = limit;
        this.allowance = budget;
        this.start = row.after();
        this.last = row.after();
        this.beforeLast = row.after();
        this.except = new TreeSet<>(row.except());
        budget.setTextBudget(limit.shares());
    }

    /** The slice that is due at a tick, if any. */
    static Optional<RefreshPass> due(State state, Instant at, InputWorkBudget budget) {
        return state.row(SchedulingRow.RefreshRow.KEY)
                .filter(row -> !row.due().isAfter(at))
                .map(row -> new RefreshPass(state, row.isBegun() ? row : row.begin(at), Limit.TICK, budget));
    }

    /** A pass from the start of the queue, if texts may be outdated. */
    static Optional<RefreshPass> restarted(State state, Instant at, InputWorkBudget budget) {
        return state.row(SchedulingRow.RefreshRow.KEY)
                .map(row -> new RefreshPass(state, row.begin(at), Limit.PROBE, budget));
    }

    /** The next item. Call it only after the result of the previous item was applied. */
    Optional<ItemId> next() {
        if (allowance.isTextBudgetExhausted() && attempted > 1) {
            last = beforeLast;
            return Optional.empty();
        }
        while (items < limit.items() && allowance.remainingForTexts() > 0) {
            Optional<Rank> rank = state.queue().after(last);
            if (rank.isEmpty()) {
                isComplete = true;
                return Optional.empty();
            }
            beforeLast = last;
            last = rank;
            items++;
            ItemId item = rank.get().item();
            if (state.work(item).isPresent()) {
                except(List.of(item));
            } else if (isRefreshable(item) && !isOfExplainedGang(item)) {
                attempted++;
                return Optional.of(item);
            }
        }
        isComplete = state.queue().after(last).isEmpty();
        return Optional.empty();
    }

    private boolean isRefreshable(ItemId item) {
        return state.item(item)
                .flatMap(SchedulingRow.ItemRow::reason)
                .filter(Reason::isRefreshable)
                .isPresent();
    }

    /** Leaves the texts of these items unchanged in this pass. */
    void except(List<ItemId> items) {
        for (ItemId item : items) {
            if (except.size() <= EXCEPT_MAX && isRefreshable(item)) {
                except.add(item);
            }
        }
    }

    /**
     * Whether an earlier slice has explained the item's gang. The slice with the first pending pod of a gang explains
     * all pods.
     */
    private boolean isOfExplainedGang(ItemId item) {
        Optional<ObjectKey> group = Gang.group(state, item);
        if (group.isEmpty()) {
            return false;
        }
        Boolean known = gangs.get(group.get());
        if (known != null) {
            return known;
        }
        Optional<Gang> gang = Gang.of(state, item);
        gangs.put(group.get(), gang.isPresent());
        boolean isExplained = gang.map(each -> each.pending().getFirst().rank())
                .filter(first ->
                        start.filter(rank -> first.compareTo(rank) <= 0).isPresent())
                .isPresent();
        items += isExplained ? 0 : gang.map(each -> each.pending().size()).orElse(0);
        return isExplained;
    }

    /** Ends the slice. Schedules the next one, or reports that all texts are of the current state. */
    StateChange end(Instant at) {
        var change = new StateChange();
        if (!isComplete) {
            change.put(row.next(at.plus(PAUSE), last, List.copyOf(except)));
            return change;
        }
        if (except.size() <= EXCEPT_MAX) {
            change.outputs.addAll(state.coordination().textsRefreshed(row.beganAt(), List.copyOf(except)));
        }
        if (row.isOutdated()) {
            change.put(SchedulingRow.RefreshRow.of(
                    at, at.plus(PAUSE.multipliedBy(Math.clamp(row.slices(), 1, PAUSES_MAX)))));
        } else {
            change.drop(row);
        }
        return change;
    }

    /** Whether a fact may change the text of a pending item. Decisions, counters and outputs cannot. */
    static boolean mayChangeTexts(Optional<Row> before, Fact fact) {
        return switch (fact) {
            case Fact.Put(Row now) ->
                isTextInput(now) && before.filter(row -> !differs(row, now)).isEmpty();
            case Fact.Drop _ -> before.filter(RefreshPass::isTextInput).isPresent();
        };
    }

    private static boolean differs(Row before, Row now) {
        if (before instanceof ObservedRow.ObjectRow old && now instanceof ObservedRow.ObjectRow object) {
            return !old.content().equals(object.content());
        }
        return !before.equals(now);
    }

    private static boolean isTextInput(Row row) {
        return switch (row) {
            case ObservedRow.ObjectRow _,
                    ObservedRow.NodeLivenessRow _,
                    ObservedRow.SourceRow _,
                    ClaimRow.AllocationRow _,
                    ClaimRow.QuarantineRow _,
                    SchedulingRow.AvoidedNodeRow _,
                    ClaimRow.RejectionRow _,
                    Row.SettingsRow _ -> true;
            case SchedulingRow.ItemRow _,
                    Row.AlarmRow _,
                    SchedulingRow.LeaseRow _,
                    Row.ProbeRow _,
                    Row.CountRow _,
                    SchedulingRow.RefreshRow _,
                    ClaimRow.DeallocationRow _,
                    WorkBudgetRow.EvaluationRow _,
                    WorkBudgetRow.IndexRow _,
                    WorkBudgetRow.PreparationRow _,
                    WorkBudgetRow.SliceChangesRow _,
                    WorkBudgetRow.WorkRow _,
                    SchedulingRow.BacklogRow _,
                    WorkBudgetRow.BudgetRow _,
                    WorkBudgetRow.WorkAlarmRow _ -> false;
        };
    }

    /** Schedules a pass after a change, unless one is scheduled. */
    static List<Fact> scheduled(State state, Instant at) {
        if (state.pending().isEmpty() || !state.isSynced()) {
            return List.of();
        }
        Optional<SchedulingRow.RefreshRow> known = state.row(SchedulingRow.RefreshRow.KEY);
        if (known.isEmpty()) {
            return List.of(new Fact.Put(SchedulingRow.RefreshRow.of(at, at.plus(PAUSE))));
        }
        return known.filter(row -> row.isBegun() && !row.isOutdated())
                .map(row -> List.<Fact>of(new Fact.Put(row.withChange())))
                .orElse(List.of());
    }
}

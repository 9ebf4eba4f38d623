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
 * One slice of a pass over the pending items, in the order of the queue, that explains them again for the present state. A slice ends
 * after so many items or so much work; the next tick continues behind its last item.
 */
final class RefreshPass {
    /** How long after a change, and after a slice, the next slice is due. */
    static final Duration PAUSE = Duration.ofSeconds(1);

    /** The pause after a pass, in slices of that pass at most; with it a text of 10,000 pending items is at most 30 s old. */
    static final int PAUSES_MAX = 10;

    /** If a pass leaves more texts as they were, it does not say that the others are renewed. */
    static final int EXCEPT_MAX = 100;

    private final State state;
    private final Row.RefreshRow row;
    private final Limit limit;
    private final Allowance allowance;
    /** Groups met in this slice, and whether their pods are a gang, which needs no more than one look. */
    private final SortedSet<ItemId> except;

    private final SortedMap<ObjectKey, Boolean> gangs = new TreeMap<>();

    private final Optional<Rank> start;
    private Optional<Rank> last;
    private Optional<Rank> beforeLast;
    private int looked;
    private int items;
    private boolean isThrough;

    /**
     * How much one slice examines.
     *
     * @param shares work, as multiples of what an input may spend
     */
    record Limit(int items, long shares) {
        /** For a tick: 1,000 alike items, or about 10 shapes with 10,000 devices; 20 ms, between which other inputs are decided. */
        static final Limit TICK = new Limit(1_000, 40);

        /** For a probe, which asks for the state as it is now. */
        static final Limit PROBE = new Limit(10_000, 400);
    }

    private RefreshPass(State state, Row.RefreshRow row, Limit limit, Allowance allowance) {
        this.state = state;
        this.row = row;
        this.limit = limit;
        this.allowance = allowance;
        this.start = row.after();
        this.last = row.after();
        this.beforeLast = row.after();
        this.except = new TreeSet<>(row.except());
        allowance.allowTexts(limit.shares());
    }

    /** The slice that is due at a tick, if one is due. */
    static Optional<RefreshPass> due(State state, Instant at, Allowance allowance) {
        return state.refresh()
                .filter(row -> !row.due().isAfter(at))
                .map(row -> new RefreshPass(state, row.isBegun() ? row : row.begin(at), Limit.TICK, allowance));
    }

    /** A pass from the start of the queue, if a text may be out of date. */
    static Optional<RefreshPass> now(State state, Instant at, Allowance allowance) {
        return state.refresh().map(row -> new RefreshPass(state, row.begin(at), Limit.PROBE, allowance));
    }

    /** Returns the next item. Call it only after the result for the item before it has been applied. */
    Optional<ItemId> next() {
        if (allowance.areTextsCutShort() && looked > 1) {
            last = beforeLast;
            return Optional.empty();
        }
        while (items < limit.items() && allowance.leftForTexts() > 0) {
            Optional<Rank> rank = state.queue().after(last);
            if (rank.isEmpty()) {
                isThrough = true;
                return Optional.empty();
            }
            beforeLast = last;
            last = rank;
            items++;
            ItemId item = rank.get().item();
            if (state.work(item).isPresent()) {
                except(List.of(item));
            } else if (isOpen(item) && !isOfExplainedGang(item)) {
                looked++;
                return Optional.of(item);
            }
        }
        isThrough = state.queue().after(last).isEmpty();
        return Optional.empty();
    }

    private boolean isOpen(ItemId item) {
        return state.item(item)
                .flatMap(Row.ItemRow::reason)
                .filter(Reason::isRefreshed)
                .isPresent();
    }

    /** The texts of these items stay as they are in this pass. */
    void except(List<ItemId> items) {
        for (ItemId item : items) {
            if (except.size() <= EXCEPT_MAX && isOpen(item)) {
                except.add(item);
            }
        }
    }

    /** Whether an item is of a gang that an earlier slice has explained. The slice with the first pending pod of a gang explains all. */
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
        boolean isExplained = gang.map(each -> each.waiting().getFirst().rank())
                .filter(first ->
                        start.filter(rank -> first.compareTo(rank) <= 0).isPresent())
                .isPresent();
        items += isExplained ? 0 : gang.map(each -> each.waiting().size()).orElse(0);
        return isExplained;
    }

    /** Keeps the rest of the pass for the next slice, or says that all texts are of the present state. */
    Change end(Instant at) {
        var change = new Change();
        if (!isThrough) {
            change.put(row.next(at.plus(PAUSE), last, List.copyOf(except)));
            return change;
        }
        if (state.place().isAlone() && except.size() <= EXCEPT_MAX) {
            change.outputs.add(new Output.Refreshed(row.begun(), List.copyOf(except)));
        }
        if (row.again()) {
            change.put(Row.RefreshRow.of(at, at.plus(PAUSE.multipliedBy(Math.clamp(row.slices(), 1, PAUSES_MAX)))));
        } else {
            change.drop(row.key());
        }
        return change;
    }

    /** Whether a fact may change the text of a pending item: not what is only decided, counted or said. */
    static boolean concerns(Optional<Row> before, Fact fact) {
        return switch (fact) {
            case Fact.Put(Row now) ->
                isExplained(now) && before.filter(row -> !differs(row, now)).isEmpty();
            case Fact.Drop _ -> before.filter(RefreshPass::isExplained).isPresent();
        };
    }

    private static boolean differs(Row before, Row now) {
        if (before instanceof Row.ObjectRow old && now instanceof Row.ObjectRow object) {
            return !old.content().equals(object.content());
        }
        return !before.equals(now);
    }

    private static boolean isExplained(Row row) {
        return switch (row) {
            case Row.ObjectRow _,
                    Row.HeardRow _,
                    Row.SourceRow _,
                    Row.GrantRow _,
                    Row.CoolRow _,
                    Row.AvoidRow _,
                    Row.RefusedRow _,
                    Row.SettingsRow _ -> true;
            case Row.ItemRow _,
                    Row.AlarmRow _,
                    Row.LeaseRow _,
                    Row.ProbeRow _,
                    Row.CountRow _,
                    Row.RefreshRow _,
                    Row.DeallocationRow _,
                    Row.EvaluationRow _,
                    Row.IndexRow _,
                    Row.PreparationRow _,
                    Row.SlicesRow _,
                    Row.WorkRow _,
                    Row.BacklogRow _,
                    Row.BudgetRow _,
                    Row.WorkAlarmRow _ -> false;
        };
    }

    /** The row that orders a pass after a change, where none is ordered. */
    static List<Fact> ordered(State state, Instant at) {
        if (state.waiting().isEmpty() || !state.isListed()) {
            return List.of();
        }
        Optional<Row.RefreshRow> known = state.refresh();
        if (known.isEmpty()) {
            return List.of(new Fact.Put(Row.RefreshRow.of(at, at.plus(PAUSE))));
        }
        return known.filter(row -> row.isBegun() && !row.again())
                .map(row -> List.<Fact>of(new Fact.Put(row.changed())))
                .orElse(List.of());
    }
}

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
    private final Row.RefreshRow row;
    private final Limit limit;
    private final Allowance allowance;
    /** Items whose texts this pass leaves unchanged. */
    private final SortedSet<ItemId> except;

    /** Groups met in this slice, and whether their pods are a gang, which needs only one attempt. */
    private final SortedMap<ObjectKey, Boolean> gangs = new TreeMap<>();

    private final Optional<Rank> start;
    private Optional<Rank> last;
    private Optional<Rank> beforeLast;
    private int looked;
    private int items;
    private boolean isThrough;

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

    /** The slice that is due at a tick, if any. */
    static Optional<RefreshPass> due(State state, Instant at, Allowance allowance) {
        return state.refresh()
                .filter(row -> !row.due().isAfter(at))
                .map(row -> new RefreshPass(state, row.isBegun() ? row : row.begin(at), Limit.TICK, allowance));
    }

    /** A pass from the start of the queue, if texts may be outdated. */
    static Optional<RefreshPass> now(State state, Instant at, Allowance allowance) {
        return state.refresh().map(row -> new RefreshPass(state, row.begin(at), Limit.PROBE, allowance));
    }

    /** The next item. Call it only after the result of the previous item was applied. */
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

    /** Leaves the texts of these items unchanged in this pass. */
    void except(List<ItemId> items) {
        for (ItemId item : items) {
            if (except.size() <= EXCEPT_MAX && isOpen(item)) {
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
        boolean isExplained = gang.map(each -> each.waiting().getFirst().rank())
                .filter(first ->
                        start.filter(rank -> first.compareTo(rank) <= 0).isPresent())
                .isPresent();
        items += isExplained ? 0 : gang.map(each -> each.waiting().size()).orElse(0);
        return isExplained;
    }

    /** Ends the slice. Schedules the next one, or reports that all texts are of the current state. */
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

    /** Whether a fact may change the text of a pending item. Decisions, counters and outputs cannot. */
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

    /** Schedules a pass after a change, unless one is scheduled. */
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

package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/**
 * The passes over pending items that one input could not finish: one under way, and the reasons of the next. A change during a pass
 * joins the next one, so that every item has its turn however often something changes.
 */
final class Backlog {
    private final Optional<Row.BacklogRow> before;
    private Set<Reason> reasons = EnumSet.noneOf(Reason.class);
    private Optional<Rank> after = Optional.empty();
    private Set<Reason> next = EnumSet.noneOf(Reason.class);

    Backlog(Optional<Row.BacklogRow> row) {
        this.before = row;
        row.ifPresent(known -> {
            reasons.addAll(known.reasons());
            after = known.after();
            next.addAll(known.next());
        });
    }

    boolean isEmpty() {
        return reasons.isEmpty();
    }

    /** Pending items of these reasons have to be looked at. */
    void add(Set<Reason> woken) {
        (reasons.isEmpty() ? reasons : next).addAll(woken);
    }

    /**
     * The items of the pass that are still to be looked at.
     *
     * @param changed items to look at besides
     */
    Round round(Queue queue, SortedMap<Rank, ItemId> changed) {
        return Round.of(queue, reasons, changed, after);
    }

    /** The pass goes on behind the last item of a round. */
    void stopAt(Round round) {
        if (!isEmpty()) {
            after = round.last();
        }
    }

    /** The pass is complete. */
    void finish() {
        reasons = next;
        after = Optional.empty();
        next = EnumSet.noneOf(Reason.class);
    }

    /** The row, where it changes. */
    Optional<Fact> fact() {
        Optional<Row.BacklogRow> now =
                isEmpty() ? Optional.empty() : Optional.of(new Row.BacklogRow(reasons, after, next));
        if (now.equals(before)) {
            return Optional.empty();
        }
        return Optional.of(now.<Fact>map(Fact.Put::new).orElseGet(() -> new Fact.Drop(Row.BacklogRow.KEY)));
    }
}

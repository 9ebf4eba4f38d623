package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/**
 * Unfinished passes over pending items: the current pass and the reasons of the next one.
 *
 * <p>A change during a pass joins the next pass. So every item is attempted, however frequent changes are.
 */
final class PassBacklog {
    private final Optional<SchedulingRow.BacklogRow> before;
    private Set<Reason> reasons = EnumSet.noneOf(Reason.class);
    private Optional<Rank> after = Optional.empty();
    private Set<Reason> next = EnumSet.noneOf(Reason.class);

    PassBacklog(Optional<SchedulingRow.BacklogRow> row) {
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

    /** Schedules pending items with these reasons. */
    void add(Set<Reason> triggered) {
        (reasons.isEmpty() ? reasons : next).addAll(triggered);
    }

    /**
     * A cursor over the remaining items of the pass.
     *
     * @param changed further items to attempt
     */
    QueueCursor cursor(SchedulingQueue queue, SortedMap<Rank, ItemId> changed) {
        return QueueCursor.of(queue, reasons, changed, after);
    }

    /** Records the position of the pass after the last item of a cursor. */
    void stopAt(QueueCursor cursor) {
        if (!isEmpty()) {
            after = cursor.last();
        }
    }

    /** Ends the pass and starts the next one. */
    void finish() {
        reasons = next;
        after = Optional.empty();
        next = EnumSet.noneOf(Reason.class);
    }

    /** The row change, if any. */
    Optional<Fact> fact() {
        Optional<SchedulingRow.BacklogRow> now =
                isEmpty() ? Optional.empty() : Optional.of(new SchedulingRow.BacklogRow(reasons, after, next));
        if (now.equals(before)) {
            return Optional.empty();
        }
        return Optional.of(now.<Fact>map(Fact.Put::new).orElseGet(() -> new Fact.Drop(SchedulingRow.BacklogRow.KEY)));
    }
}

package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A cursor over the items of one pass, in queue order.
 *
 * <p>Each item is returned at most once, and never after its rank has passed. Of an equivalence class, the next item is
 * returned only if the attempt of the previous one had an effect.
 */
final class Round {
    private final Queue queue;
    private final SortedMap<Rank, ItemId> single = new TreeMap<>();
    private final SortedMap<Rank, Queue.Likeness> heads = new TreeMap<>();
    private final Set<Queue.Likeness> considered = new LinkedHashSet<>();
    private Optional<Rank> last = Optional.empty();
    private Optional<Queue.Likeness> open = Optional.empty();
    private final SortedMap<Rank, ItemId> changed;
    private boolean isLastChanged;

    private final Set<Reason> reasons;

    private Round(Queue queue, Set<Reason> reasons, SortedMap<Rank, ItemId> changed, Optional<Rank> last) {
        this.queue = queue;
        this.reasons = reasons;
        this.changed = new TreeMap<>(changed);
        this.last = last;
        queue.takeSeparated();
    }

    /**
     * A cursor over pending items with these reasons, and over further items.
     *
     * @param after skips pending items up to this rank; does not apply to the further items
     */
    static Round of(Queue queue, Set<Reason> reasons, SortedMap<Rank, ItemId> others, Optional<Rank> after) {
        others.values().forEach(queue::separate);
        var round = new Round(queue, reasons, others, after);
        reasons.forEach(reason -> round.single.putAll(behind(queue.single(reason), after)));
        round.single.putAll(others);
        for (Queue.Likeness likeness : queue.likenesses(reasons)) {
            round.considered.add(likeness);
            round.offer(likeness);
        }
        return round;
    }

    private static SortedMap<Rank, ItemId> behind(NavigableMap<Rank, ItemId> items, Optional<Rank> after) {
        return after.map(rank -> items.tailMap(rank, false)).orElse(items);
    }

    /** The rank of the last returned item. */
    Optional<Rank> last() {
        return last;
    }

    /** Whether the last returned item has itself changed. */
    boolean isLastChanged() {
        return isLastChanged;
    }

    /** Changed items that were not returned yet. */
    List<ItemId> changedLeft() {
        return List.copyOf(changed.values());
    }

    /** Whether no item of these reasons follows, including equivalent items that would be skipped. */
    boolean isOver() {
        return changed.isEmpty()
                && last.map(rank -> !queue.hasAnyAfter(rank, reasons)).orElseGet(this::isEmpty);
    }

    /** Whether no item is left. */
    boolean isEmpty() {
        return single.isEmpty() && heads.isEmpty();
    }

    private void offer(Queue.Likeness likeness) {
        queue.next(likeness, last).ifPresent(rank -> heads.put(rank, likeness));
    }

    /** The next item. Call it only after the result of the previous item was applied. */
    Optional<ItemId> next() {
        open.ifPresent(this::goOn);
        open = Optional.empty();
        for (Queue.Member member : queue.takeSeparated()) {
            if (considered.contains(member.likeness())
                    && last.filter(rank -> member.rank().compareTo(rank) <= 0).isEmpty()) {
                single.put(member.rank(), member.item());
                if (heads.remove(member.rank()) != null) {
                    offer(member.likeness());
                }
            }
        }
        if (isEmpty()) {
            return Optional.empty();
        }
        boolean isHead =
                single.isEmpty() || (!heads.isEmpty() && heads.firstKey().compareTo(single.firstKey()) < 0);
        Rank rank = isHead ? heads.firstKey() : single.firstKey();
        if (isHead) {
            open = Optional.ofNullable(heads.remove(rank));
        } else {
            single.remove(rank);
        }
        isLastChanged = changed.remove(rank) != null;
        last = Optional.of(rank);
        return Optional.of(rank.item());
    }

    /**
     * Continues a class only if its last attempt took the item out of the class. Otherwise nothing fits its other items
     * either.
     */
    private void goOn(Queue.Likeness likeness) {
        if (!queue.is(last.orElseThrow().item(), likeness)) {
            offer(likeness);
        }
    }

    /** The reasons that these kinds of change may resolve. */
    static Set<Reason> wokenBy(Collection<Reason.Wake> wakes) {
        Set<Reason> woken = EnumSet.noneOf(Reason.class);
        for (Reason reason : Reason.values()) {
            if (wakes.stream().anyMatch(reason.wake()::isMetBy)) {
                woken.add(reason);
            }
        }
        return woken;
    }
}

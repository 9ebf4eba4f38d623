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
 * The items that are looked at in one round, in the order of the queue. Of items that are alike the next is looked at only where the one
 * before it did not come to nothing. Each is looked at once, and none after its turn is over.
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
     * Everybody who waits for one of these reasons, and these.
     *
     * @param after of those who wait for a reason, only those behind this place in the queue
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

    /** The place of the last item that was looked at. */
    Optional<Rank> last() {
        return last;
    }

    /** Whether the last item is one that changed itself. */
    boolean isLastChanged() {
        return isLastChanged;
    }

    /** The items that changed and have not been looked at. */
    List<ItemId> changedLeft() {
        return List.copyOf(changed.values());
    }

    /** Whether no item is left behind the last one, whether or not it would be looked at for itself. */
    boolean isOver() {
        return changed.isEmpty()
                && last.map(rank -> !queue.hasAnyAfter(rank, reasons)).orElseGet(this::isEmpty);
    }

    /** Whether nobody is to be looked at. */
    boolean isEmpty() {
        return single.isEmpty() && heads.isEmpty();
    }

    private void offer(Queue.Likeness likeness) {
        queue.next(likeness, last).ifPresent(rank -> heads.put(rank, likeness));
    }

    /** The next one; ask after the one before it has been looked at, and what came of it applied. */
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

    /** Where nothing came of the first, nothing would come of those that are like it. */
    private void goOn(Queue.Likeness likeness) {
        if (!queue.is(last.orElseThrow().item(), likeness)) {
            offer(likeness);
        }
    }

    /** The reasons for which this may have changed something. */
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

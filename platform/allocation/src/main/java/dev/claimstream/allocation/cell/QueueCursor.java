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
final class QueueCursor {
    private final SchedulingQueue queue;
    private final SortedMap<Rank, ItemId> single = new TreeMap<>();
    private final SortedMap<Rank, SchedulingQueue.ItemEquivalence> heads = new TreeMap<>();
    private final Set<SchedulingQueue.ItemEquivalence> scanned = new LinkedHashSet<>();
    private Optional<Rank> last = Optional.empty();
    private Optional<SchedulingQueue.ItemEquivalence> open = Optional.empty();
    private final SortedMap<Rank, ItemId> changed;
    private boolean isLastChanged;

    private final Set<Reason> reasons;

    private QueueCursor(
            SchedulingQueue queue, Set<Reason> reasons, SortedMap<Rank, ItemId> changed, Optional<Rank> last) {
        this.queue = queue;
        this.reasons = reasons;
        this.changed = new TreeMap<>(changed);
        this.last = last;
        queue.drainSeparated();
    }

    /**
     * A cursor over pending items with these reasons, and over further items.
     *
     * @param after skips pending items up to this rank; does not apply to the further items
     */
    static QueueCursor of(
            SchedulingQueue queue, Set<Reason> reasons, SortedMap<Rank, ItemId> others, Optional<Rank> after) {
        others.values().forEach(queue::separate);
        var cursor = new QueueCursor(queue, reasons, others, after);
        reasons.forEach(reason -> cursor.single.putAll(itemsAfter(queue.single(reason), after)));
        cursor.single.putAll(others);
        for (SchedulingQueue.ItemEquivalence equivalence : queue.equivalences(reasons)) {
            cursor.scanned.add(equivalence);
            cursor.addHead(equivalence);
        }
        return cursor;
    }

    private static SortedMap<Rank, ItemId> itemsAfter(NavigableMap<Rank, ItemId> items, Optional<Rank> after) {
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
    List<ItemId> remainingChanged() {
        return List.copyOf(changed.values());
    }

    /** Whether no item of these reasons follows, including equivalent items that would be skipped. */
    boolean isExhausted() {
        return changed.isEmpty()
                && last.map(rank -> !queue.hasAnyAfter(rank, reasons)).orElseGet(this::isEmpty);
    }

    /** Whether no item is left. */
    boolean isEmpty() {
        return single.isEmpty() && heads.isEmpty();
    }

    private void addHead(SchedulingQueue.ItemEquivalence equivalence) {
        queue.next(equivalence, last).ifPresent(rank -> heads.put(rank, equivalence));
    }

    /** The next item. Call it only after the result of the previous item was applied. */
    Optional<ItemId> next() {
        open.ifPresent(this::advance);
        open = Optional.empty();
        for (SchedulingQueue.QueueMember member : queue.drainSeparated()) {
            if (scanned.contains(member.equivalence())
                    && last.filter(rank -> member.rank().compareTo(rank) <= 0).isEmpty()) {
                single.put(member.rank(), member.item());
                if (heads.remove(member.rank()) != null) {
                    addHead(member.equivalence());
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
    private void advance(SchedulingQueue.ItemEquivalence equivalence) {
        if (!queue.isMember(last.orElseThrow().item(), equivalence)) {
            addHead(equivalence);
        }
    }

    /** The reasons that these kinds of change may resolve. */
    static Set<Reason> reasonsTriggeredBy(Collection<Reason.RetryTrigger> retryTriggers) {
        Set<Reason> triggered = EnumSet.noneOf(Reason.class);
        for (Reason reason : Reason.values()) {
            if (retryTriggers.stream().anyMatch(reason.retryTrigger()::isTriggeredBy)) {
                triggered.add(reason);
            }
        }
        return triggered;
    }
}

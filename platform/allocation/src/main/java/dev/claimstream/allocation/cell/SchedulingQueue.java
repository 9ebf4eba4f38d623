package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.ItemShape;
import dev.claimstream.allocation.solver.Reason;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The pending items by rank, each with its reason.
 *
 * <p>Items of one shape that were attempted and got the same reason are <em>equivalent</em>: until one of them changes,
 * the result of the first holds for all. They are kept as one class, so that a freed device costs one attempt instead
 * of one per item. Classes are a cache and no facts; results are the same without them ({@link #separate}).
 */
final class SchedulingQueue implements RowIndex {
    private final NavigableMap<Rank, ItemId> all = new TreeMap<>();
    private final Map<Reason, NavigableMap<Rank, ItemId>> single = new EnumMap<>(Reason.class);
    private final Map<ItemEquivalence, NavigableMap<Rank, ItemId>> equivalent = new LinkedHashMap<>();
    private final Map<ItemId, QueueMember> members = new LinkedHashMap<>();
    private final SortedMap<Rank, QueueMember> separatedMembers = new TreeMap<>();

    /** The common properties of equivalent items. */
    record ItemEquivalence(ItemShape shape, Reason reason) {}

    /** An item of an equivalence class. */
    record QueueMember(ItemId item, Rank rank, ItemEquivalence equivalence) {}

    @Override
    public void add(Row row) {
        if (row instanceof SchedulingRow.ItemRow item) {
            item.reason().ifPresent(reason -> {
                all.put(item.rank(), item.item());
                single.computeIfAbsent(reason, each -> new TreeMap<>()).put(item.rank(), item.item());
            });
        }
    }

    @Override
    public void remove(Row row) {
        if (row instanceof SchedulingRow.ItemRow item) {
            item.reason().ifPresent(reason -> {
                separate(item.item());
                all.remove(item.rank());
                separatedMembers.remove(item.rank());
                single(reason).remove(item.rank());
            });
        }
    }

    /** Adds an item to the class of its shape and reason. */
    void join(SchedulingRow.ItemRow row, ItemShape shape) {
        Reason reason = row.reason().orElseThrow();
        if (single(reason).remove(row.rank()) != null) {
            var member = new QueueMember(row.item(), row.rank(), new ItemEquivalence(shape, reason));
            members.put(row.item(), member);
            equivalent
                    .computeIfAbsent(member.equivalence, each -> new TreeMap<>())
                    .put(row.rank(), row.item());
        }
    }

    /** Takes an item out of its class after a change: it needs an attempt of its own. */
    void separate(ItemId item) {
        QueueMember member = members.remove(item);
        if (member != null) {
            equivalent.computeIfPresent(member.equivalence, (_, those) -> {
                those.remove(member.rank);
                return those.isEmpty() ? null : those;
            });
            single.computeIfAbsent(member.equivalence.reason, each -> new TreeMap<>())
                    .put(member.rank, item);
            separatedMembers.put(member.rank, member);
        }
    }

    /** Takes all items out of their classes, after a change that may concern every item. */
    void separateAll() {
        List.copyOf(members.keySet()).forEach(this::separate);
    }

    /** Returns and clears the members that were separated since the last call. */
    List<QueueMember> drainSeparated() {
        List<QueueMember> drained = List.copyOf(separatedMembers.values());
        separatedMembers.clear();
        return drained;
    }

    SortedMap<Rank, ItemId> all() {
        return Collections.unmodifiableSortedMap(all);
    }

    /** The first rank after another one, or the first of all. */
    Optional<Rank> after(Optional<Rank> rank) {
        NavigableMap<Rank, ItemId> behind =
                rank.map(each -> all.tailMap(each, false)).orElse(all);
        return behind.isEmpty() ? Optional.empty() : Optional.of(behind.firstKey());
    }

    /** Items with this reason that belong to no class. */
    NavigableMap<Rank, ItemId> single(Reason reason) {
        return single.computeIfAbsent(reason, each -> new TreeMap<>());
    }

    /** The first item with one of these reasons. */
    Optional<ItemId> first(Set<Reason> reasons) {
        return Stream.concat(
                        reasons.stream().map(this::single),
                        equivalences(reasons).stream().map(equivalent::get))
                .filter(those -> !those.isEmpty())
                .map(those -> those.firstKey())
                .min(Comparator.naturalOrder())
                .map(Rank::item);
    }

    /** Whether an item with one of these reasons has a later rank. */
    boolean hasAnyAfter(Rank rank, Set<Reason> reasons) {
        return reasons.stream().anyMatch(reason -> single(reason).higherKey(rank) != null)
                || equivalent.entrySet().stream()
                        .anyMatch(each -> reasons.contains(each.getKey().reason)
                                && each.getValue().higherKey(rank) != null);
    }

    /** The classes with one of these reasons. */
    List<ItemEquivalence> equivalences(Set<Reason> reasons) {
        return equivalent.keySet().stream()
                .filter(equivalence -> reasons.contains(equivalence.reason))
                .toList();
    }

    /** The number of items in a class. */
    int size(ItemEquivalence equivalence) {
        return Optional.ofNullable(equivalent.get(equivalence)).map(Map::size).orElse(0);
    }

    /** The first rank of a class, or the next one after a rank. */
    Optional<Rank> next(ItemEquivalence equivalence, Optional<Rank> after) {
        return Optional.ofNullable(equivalent.get(equivalence))
                .flatMap(those -> after.isEmpty() ? Optional.of(those.firstKey()) : after.map(those::higherKey));
    }

    /** Whether an item still belongs to a class. */
    boolean isMember(ItemId item, ItemEquivalence equivalence) {
        QueueMember member = members.get(item);
        return member != null && member.equivalence.equals(equivalence);
    }
}

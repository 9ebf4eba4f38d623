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
 * The items that wait, in the order of their rank, and what each waits for.
 *
 * <p>Items that were looked at, found to be of one shape, and told the same are <em>alike</em>: as long as nothing is known anew of one of
 * them, what is found out about the first holds for all. They are kept together, so that a device that becomes free costs one look and
 * not one for each. This is remembered and no fact; without it the same would come out ({@link #separate}).
 */
final class Queue {
    private final NavigableMap<Rank, ItemId> all = new TreeMap<>();
    private final Map<Reason, NavigableMap<Rank, ItemId>> single = new EnumMap<>(Reason.class);
    private final Map<Likeness, NavigableMap<Rank, ItemId>> alike = new LinkedHashMap<>();
    private final Map<ItemId, Member> members = new LinkedHashMap<>();
    private final SortedMap<Rank, Member> separated = new TreeMap<>();

    /** What items that are alike have in common. */
    record Likeness(ItemShape shape, Reason reason) {}

    /** An item among those that are alike. */
    record Member(ItemId item, Rank rank, Likeness likeness) {}

    void add(Row.ItemRow row) {
        row.reason().ifPresent(reason -> {
            all.put(row.rank(), row.item());
            single.computeIfAbsent(reason, each -> new TreeMap<>()).put(row.rank(), row.item());
        });
    }

    void remove(Row.ItemRow row) {
        row.reason().ifPresent(reason -> {
            separate(row.item());
            all.remove(row.rank());
            separated.remove(row.rank());
            single(reason).remove(row.rank());
        });
    }

    /** An item that waits is like all others of this shape that wait for its reason. */
    void join(Row.ItemRow row, ItemShape shape) {
        Reason reason = row.reason().orElseThrow();
        if (single(reason).remove(row.rank()) != null) {
            var member = new Member(row.item(), row.rank(), new Likeness(shape, reason));
            members.put(row.item(), member);
            alike.computeIfAbsent(member.likeness, each -> new TreeMap<>()).put(row.rank(), row.item());
        }
    }

    /** Something is known anew of an item: it has to be looked at for itself. */
    void separate(ItemId item) {
        Member member = members.remove(item);
        if (member != null) {
            alike.computeIfPresent(member.likeness, (_, those) -> {
                those.remove(member.rank);
                return those.isEmpty() ? null : those;
            });
            single.computeIfAbsent(member.likeness.reason, each -> new TreeMap<>())
                    .put(member.rank, item);
            separated.put(member.rank, member);
        }
    }

    /** Something is known anew that may concern every item. */
    void separateAll() {
        List.copyOf(members.keySet()).forEach(this::separate);
    }

    /** Those that have been separated since somebody asked for them. */
    List<Member> takeSeparated() {
        List<Member> taken = List.copyOf(separated.values());
        separated.clear();
        return taken;
    }

    SortedMap<Rank, ItemId> all() {
        return Collections.unmodifiableSortedMap(all);
    }

    /** The first item behind a rank, or the first of all. */
    Optional<Rank> after(Optional<Rank> rank) {
        NavigableMap<Rank, ItemId> behind =
                rank.map(each -> all.tailMap(each, false)).orElse(all);
        return behind.isEmpty() ? Optional.empty() : Optional.of(behind.firstKey());
    }

    /** Those that wait for this reason and are like no other. */
    NavigableMap<Rank, ItemId> single(Reason reason) {
        return single.computeIfAbsent(reason, each -> new TreeMap<>());
    }

    /** The first in the queue of those who wait for one of these reasons. */
    Optional<ItemId> first(Set<Reason> reasons) {
        return Stream.concat(
                        reasons.stream().map(this::single),
                        likenesses(reasons).stream().map(alike::get))
                .filter(those -> !those.isEmpty())
                .map(those -> those.firstKey())
                .min(Comparator.naturalOrder())
                .map(Rank::item);
    }

    /** Whether an item that waits for one of these reasons stands behind a place in the queue. */
    boolean hasAnyAfter(Rank rank, Set<Reason> reasons) {
        return reasons.stream().anyMatch(reason -> single(reason).higherKey(rank) != null)
                || alike.entrySet().stream()
                        .anyMatch(each -> reasons.contains(each.getKey().reason)
                                && each.getValue().higherKey(rank) != null);
    }

    /** What is alike among the items that wait for one of these reasons. */
    List<Likeness> likenesses(Set<Reason> reasons) {
        return alike.keySet().stream()
                .filter(likeness -> reasons.contains(likeness.reason))
                .toList();
    }

    /** How many are alike in this way. */
    int size(Likeness likeness) {
        return Optional.ofNullable(alike.get(likeness)).map(Map::size).orElse(0);
    }

    /** The first of those that are alike, or the next after one. */
    Optional<Rank> next(Likeness likeness, Optional<Rank> after) {
        return Optional.ofNullable(alike.get(likeness))
                .flatMap(those -> after.isEmpty() ? Optional.of(those.firstKey()) : after.map(those::higherKey));
    }

    /** Whether an item is like those still. */
    boolean is(ItemId item, Likeness likeness) {
        Member member = members.get(item);
        return member != null && member.likeness.equals(likeness);
    }
}

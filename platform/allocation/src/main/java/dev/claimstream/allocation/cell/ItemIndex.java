package dev.claimstream.allocation.cell;

import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The work items by what they have: an earmark, an open offer, unfinished work, or decided allocations. */
final class ItemIndex implements RowIndex {
    private final SortedMap<String, Rank> earmarks = new TreeMap<>();
    private final SortedSet<ItemId> offered = new TreeSet<>();
    private final SortedMap<String, SortedMap<Rank, ItemId>> unfinished = new TreeMap<>();
    private final ItemCounts allocations = new ItemCounts();

    @Override
    public void add(Row row) {
        switch (row) {
            case SchedulingRow.ItemRow item
            when item.isPending() -> item.earmark().ifPresent(node -> earmarks.put(node, item.rank()));
            case SchedulingRow.LeaseRow lease when lease.hasOpenOffer() -> offered.add(lease.item());
            case WorkBudgetRow.WorkRow work ->
                unfinished
                        .computeIfAbsent(work.item().key().namespace(), _ -> new TreeMap<>())
                        .put(work.rank(), work.item());
            case ClaimRow.AllocationRow decided -> allocations.add(decided.item());
            default -> {}
        }
    }

    @Override
    public void remove(Row row) {
        switch (row) {
            case SchedulingRow.ItemRow item -> item.earmark().ifPresent(node -> earmarks.remove(node, item.rank()));
            case SchedulingRow.LeaseRow lease -> offered.remove(lease.item());
            case WorkBudgetRow.WorkRow work -> remove(work);
            case ClaimRow.AllocationRow decided -> allocations.remove(decided.item());
            default -> {}
        }
    }

    private void remove(WorkBudgetRow.WorkRow work) {
        String namespace = work.item().key().namespace();
        SortedMap<Rank, ItemId> those = unfinished.getOrDefault(namespace, new TreeMap<>());
        those.remove(work.rank());
        if (those.isEmpty()) {
            unfinished.remove(namespace);
        }
    }

    /** Earmarked nodes, each with the rank of the item that it is reserved for. */
    SortedMap<String, Rank> earmarks() {
        return Collections.unmodifiableSortedMap(earmarks);
    }

    /** Items for which an offer to the router is open. */
    SortedSet<ItemId> offered() {
        return Collections.unmodifiableSortedSet(offered);
    }

    /** Items with unfinished work, by namespace and in queue order. */
    SortedMap<String, SortedMap<Rank, ItemId>> unfinished() {
        return Collections.unmodifiableSortedMap(unfinished);
    }

    /** Whether a claim is still allocated by a decision for this item. The item itself may be deleted. */
    boolean hasAllocation(ItemId item) {
        return allocations.has(item);
    }
}

package dev.claimstream.allocation.router;

import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A round in which cells are asked for an item, one after the other.
 *
 * <p>In the first round the item must fit beside all allocations. If no cell has room, the cells are asked in a second
 * round whether it fits without the allocations of some of its claims.
 *
 * @param tried cells to skip
 * @param offers cells that have offered to allocate the item; they come first
 * @param deallocatable UIDs of the claims whose devices count as free; empty in the first round
 */
record DispatchRound(SortedSet<Integer> tried, SortedSet<Integer> offers, List<String> deallocatable) {
    /** The first round, with no cell tried. */
    static final DispatchRound FIRST = new DispatchRound(new TreeSet<>(), new TreeSet<>(), List.of());

    public DispatchRound {
        tried = Collections.unmodifiableSortedSet(new TreeSet<>(tried));
        offers = Collections.unmodifiableSortedSet(new TreeSet<>(offers));
        deallocatable = List.copyOf(deallocatable);
    }

    /** The first round with cells that are asked before the others. */
    static DispatchRound offeredBy(SortedSet<Integer> cells) {
        return new DispatchRound(new TreeSet<>(), cells, List.of());
    }

    /** The first round with only one cell. */
    static DispatchRound only(int cell, SortedSet<Integer> all) {
        SortedSet<Integer> others = new TreeSet<>(all);
        others.remove(cell);
        return new DispatchRound(others, new TreeSet<>(), List.of());
    }

    /** The round after these cells have returned the item. A cell with a new offer is asked again. */
    static DispatchRound after(RouterRow.ItemLocation.AssignedToCell sent, SortedSet<Integer> returned) {
        SortedSet<Integer> tried = new TreeSet<>(sent.triedCells());
        tried.addAll(returned);
        tried.removeAll(sent.offers());
        return new DispatchRound(tried, sent.offers(), sent.deallocatable());
    }

    boolean isFirst() {
        return deallocatable.isEmpty();
    }

    DispatchRound second(List<String> claims) {
        return new DispatchRound(new TreeSet<>(), offers, claims);
    }

    /** The offers that stay open while a cell is asked. */
    SortedSet<Integer> otherOffers(int cell) {
        SortedSet<Integer> open = new TreeSet<>(offers);
        open.remove(cell);
        return open;
    }
}

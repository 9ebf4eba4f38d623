package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which cells hear of a claim: those that an item with it was lent to, and every cell where it may hold something that a cell does not
 * know of. Who has heard of a claim hears of it until it is gone, so that what a cell knows of claims is what the router knows of them, or
 * nothing.
 */
final class Telling {
    private final Turn turn;
    private final RouterState state;
    private final SortedMap<ObjectKey, NavigableSet<Integer>> heard = new TreeMap<>();

    Telling(Turn turn) {
        this.turn = turn;
        this.state = turn.state;
    }

    /**
     * A claim stands as given, and that is news.
     *
     * @param wasKnown whether a claim stood in its place before
     */
    void seen(Observation.Seen seen, ResourceClaim claim, boolean wasKnown) {
        ObjectKey key = claim.key();
        NavigableSet<Integer> cells = wasKnown ? heardOf(key) : new TreeSet<>();
        state.bound(claim.meta().uid()).ifPresent(bound -> cells.add(bound.cell()));
        state.away(key).stream()
                .flatMap(item -> state.item(item).stream())
                .forEach(item -> item.cell().ifPresent(cells::add));
        if (claim.allocation().isPresent() && !isWithinOneCell(claim)) {
            cells.addAll(state.all());
        }
        heard.put(key, cells);
        turn.send(cells, seen);
    }

    /**
     * A claim is gone, and that is news.
     *
     * @param wasKnown whether it stood before; nobody has heard of one that did not
     */
    void gone(Observation.Gone gone, boolean wasKnown) {
        if (wasKnown) {
            turn.send(heardOf(gone.key()), gone);
        }
    }

    /** What a cell needs before it can decide an item with these claims. */
    void introduce(int cell, List<ObjectKey> claims) {
        for (ObjectKey claim : claims) {
            NavigableSet<Integer> cells = heardOf(claim);
            if (cells.add(cell)) {
                heard.put(claim, cells);
                turn.send(Placing.only(cell), state.world().seen(claim));
            }
        }
    }

    /** Notes what is not noted yet; once, after everything else. */
    void note() {
        heard.forEach((claim, cells) -> {
            if (state.world().claim(claim).isPresent()
                    && !state.told(claim)
                            .filter(told -> told.cells().equals(cells))
                            .isPresent()) {
                turn.put(new RouterRow.ToldRow(claim, cells));
            }
        });
    }

    /** Claims that have ended; what stands in their place may be told. */
    void ended(Map<String, ObjectKey> claims) {
        claims.values().stream()
                .filter(claim -> state.world().claim(claim).isEmpty())
                .flatMap(claim -> state.told(claim).stream())
                .forEach(told -> turn.drop(told.key()));
    }

    /** All, where nothing is noted: every cell heard of every claim before that was noted. */
    private NavigableSet<Integer> heardOf(ObjectKey claim) {
        return new TreeSet<>(Optional.<SortedSet<Integer>>ofNullable(heard.get(claim))
                .or(() -> state.told(claim).map(RouterRow.ToldRow::cells))
                .orElseGet(state::all));
    }

    /**
     * Whether the cell that gave something to the claim has all of the devices that the claim has now, and they stay there: a device that is
     * held holds its node. Others need not know, also when a node of that cell comes to them later.
     */
    private boolean isWithinOneCell(ResourceClaim claim) {
        Optional<Integer> cell = state.bound(claim.meta().uid()).map(RouterRow.BoundRow::cell);
        return cell.filter(each -> !state.isAnyMovingFrom(each)).isPresent()
                && claim.allocation().stream()
                        .flatMap(allocation -> allocation.results().stream())
                        .allMatch(result -> isHeldIn(cell.get(), result));
    }

    /** Admin access holds nothing. */
    private boolean isHeldIn(int cell, DeviceResult result) {
        return !result.adminAccess()
                && state.pool(result.device().poolId())
                        .filter(pool -> pool.cell() == cell)
                        .isPresent();
    }
}

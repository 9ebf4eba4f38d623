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
 * Determines which cells receive the updates of a claim.
 *
 * <p>Recipients are the cells to which an item with the claim was assigned. If a cell may not know some of its devices that the claim uses,
 * all cells are recipients. A recipient receives updates until the claim is deleted; so each cell either has the router's version of a
 * claim or none.
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
     * Sends a changed claim to its recipients.
     *
     * @param wasKnown whether a claim with this key existed before
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
     * Sends the deletion of a claim to its recipients.
     *
     * @param wasKnown whether the claim existed before; otherwise it has no recipients
     */
    void gone(Observation.Gone gone, boolean wasKnown) {
        if (wasKnown) {
            turn.send(heardOf(gone.key()), gone);
        }
    }

    /**
     * Adds a cell to the recipients of claims and sends it the claims that it lacks. Required before the cell can decide an item with them.
     */
    void introduce(int cell, List<ObjectKey> claims) {
        for (ObjectKey claim : claims) {
            NavigableSet<Integer> cells = heardOf(claim);
            if (cells.add(cell)) {
                heard.put(claim, cells);
                turn.send(Placing.only(cell), state.world().seen(claim));
            }
        }
    }

    /** Stores changed recipients. Called once at the end of a step. */
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

    /** Deletes the recipients of deleted claims, unless a new claim has the same key. */
    void ended(Map<String, ObjectKey> claims) {
        claims.values().stream()
                .filter(claim -> state.world().claim(claim).isEmpty())
                .flatMap(claim -> state.told(claim).stream())
                .forEach(told -> turn.drop(told.key()));
    }

    /** Returns the recipients of a claim. Without a stored row these are all cells: claims older than these rows were sent to all. */
    private NavigableSet<Integer> heardOf(ObjectKey claim) {
        return new TreeSet<>(Optional.<SortedSet<Integer>>ofNullable(heard.get(claim))
                .or(() -> state.told(claim).map(RouterRow.ToldRow::cells))
                .orElseGet(state::all));
    }

    /**
     * Returns whether all devices of a claim are in the cell that allocated it and stay there.
     *
     * <p>A device in use keeps its node in the cell. Other cells need no updates then, not even if they later receive another node of that
     * cell.
     */
    private boolean isWithinOneCell(ResourceClaim claim) {
        Optional<Integer> cell = state.bound(claim.meta().uid()).map(RouterRow.BoundRow::cell);
        return cell.filter(each -> !state.isAnyMovingFrom(each)).isPresent()
                && claim.allocation().stream()
                        .flatMap(allocation -> allocation.results().stream())
                        .allMatch(result -> isHeldIn(cell.get(), result));
    }

    /** Returns whether a result is in a pool of the cell. Results with admin access use no device and return false. */
    private boolean isHeldIn(int cell, DeviceResult result) {
        return !result.adminAccess()
                && state.pool(result.device().poolId())
                        .filter(pool -> pool.cell() == cell)
                        .isPresent();
    }
}

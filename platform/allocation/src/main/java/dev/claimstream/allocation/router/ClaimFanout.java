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
final class ClaimFanout {
    private final RouterStepBuilder step;
    private final RouterState state;
    private final SortedMap<ObjectKey, NavigableSet<Integer>> changedRecipients = new TreeMap<>();

    ClaimFanout(RouterStepBuilder step) {
        this.step = step;
        this.state = step.state;
    }

    /**
     * Sends a changed claim to its recipients.
     *
     * @param wasKnown whether a claim with this key existed before
     */
    void upsert(Observation.ObjectUpserted upserted, ResourceClaim claim, boolean wasKnown) {
        ObjectKey key = claim.key();
        NavigableSet<Integer> cells = wasKnown ? recipients(key) : new TreeSet<>();
        state.bound(claim.meta().uid()).ifPresent(bound -> cells.add(bound.cell()));
        state.itemsInCells(key).stream()
                .flatMap(item -> state.item(item).stream())
                .forEach(item -> item.cell().ifPresent(cells::add));
        if (claim.allocation().isPresent() && !isWithinOneCell(claim)) {
            cells.addAll(state.allCells());
        }
        changedRecipients.put(key, cells);
        step.send(cells, upserted);
    }

    /**
     * Sends the deletion of a claim to its recipients.
     *
     * @param wasKnown whether the claim existed before; otherwise it has no recipients
     */
    void delete(Observation.ObjectDeleted deleted, boolean wasKnown) {
        if (wasKnown) {
            step.send(recipients(deleted.key()), deleted);
        }
    }

    /**
     * Adds a cell to the recipients of claims and sends it the claims that it lacks. Required before the cell can decide an item with them.
     */
    void ensureRecipient(int cell, List<ObjectKey> claims) {
        for (ObjectKey claim : claims) {
            NavigableSet<Integer> cells = recipients(claim);
            if (cells.add(cell)) {
                changedRecipients.put(claim, cells);
                step.send(CellPlacement.only(cell), state.clusterState().upsertOf(claim));
            }
        }
    }

    /** Stores changed recipients. Called once at the end of a step. */
    void persist() {
        changedRecipients.forEach((claim, cells) -> {
            if (state.clusterState().claim(claim).isPresent()
                    && !state.fanout(claim)
                            .filter(row -> row.cells().equals(cells))
                            .isPresent()) {
                step.put(new RouterRow.ClaimFanoutRow(claim, cells));
            }
        });
    }

    /** Deletes the recipients of deleted claims, unless a new claim has the same key. */
    void removeDeleted(Map<String, ObjectKey> claims) {
        claims.values().stream()
                .filter(claim -> state.clusterState().claim(claim).isEmpty())
                .flatMap(claim -> state.fanout(claim).stream())
                .forEach(row -> step.delete(row.key()));
    }

    /** Returns the recipients of a claim. Without a stored row these are all cells: claims older than these rows were sent to all. */
    private NavigableSet<Integer> recipients(ObjectKey claim) {
        return new TreeSet<>(Optional.<SortedSet<Integer>>ofNullable(changedRecipients.get(claim))
                .or(() -> state.fanout(claim).map(RouterRow.ClaimFanoutRow::cells))
                .orElseGet(state::allCells));
    }

    /**
     * Returns whether all devices of a claim are in the cell that allocated it and stay there.
     *
     * <p>A device in use keeps its node in the cell. Other cells need no updates then, not even if they later receive another node of that
     * cell.
     */
    private boolean isWithinOneCell(ResourceClaim claim) {
        Optional<Integer> cell = state.bound(claim.meta().uid()).map(RouterRow.BoundClaimRow::cell);
        return cell.filter(each -> !state.hasMovingNodes(each)).isPresent()
                && claim.allocation().stream()
                        .flatMap(allocation -> allocation.results().stream())
                        .allMatch(result -> isAllocatedIn(cell.get(), result));
    }

    /** Returns whether a result is in a pool of the cell. Results with admin access use no device and return false. */
    private boolean isAllocatedIn(int cell, DeviceResult result) {
        return !result.adminAccess()
                && state.pool(result.device().poolId())
                        .filter(pool -> pool.cell() == cell)
                        .isPresent();
    }
}

package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.ObjectIndex;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.ResourceClaim;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** Chooses the cells that can allocate an item, in the order in which they are asked. */
final class CandidateCells {
    private final RouterState state;

    CandidateCells(RouterState state) {
        this.state = state;
    }

    /**
     * Returns the cells to which the item's claims are bound.
     *
     * <p>These are the cells that allocated a claim, or may do so for an item that they have already allocated. Allocations of other
     * allocators bind a claim to a node; the cell of the node detects that.
     *
     * @param deallocatable UIDs of claims that bind nothing, because they may be deallocated
     */
    SortedSet<Integer> bound(ObjectIndex.ItemReadiness.Ready ready, List<String> deallocatable) {
        var cells = new TreeSet<Integer>();
        ready.uids().stream()
                .filter(uid -> !deallocatable.contains(uid))
                .forEach(uid -> state.bound(uid).ifPresent(bound -> cells.add(bound.cell())));
        ready.claims().stream()
                .filter(state.clusterState()::isUnallocated)
                .flatMap(claim -> state.itemsInCells(claim).stream())
                .flatMap(other -> state.item(other).stream())
                .forEach(other -> {
                    if (other.location() instanceof RouterRow.ItemLocation.AllocatedInCell allocated) {
                        cells.add(allocated.cell());
                    }
                });
        return cells;
    }

    /**
     * Returns all cells, those with the most free devices first; ties rotate. In the first round an item with a fixed node gets only the
     * cell of that node.
     */
    List<Integer> all(ObjectIndex.ItemReadiness.Ready ready, DispatchRound round) {
        Optional<Integer> there = ready.nodeName()
                .filter(_ -> round.isFirst())
                .flatMap(state::node)
                .map(RouterRow.NodeRow::cell);
        if (there.isPresent()) {
            return new ArrayList<>(List.of(there.get()));
        }
        List<Integer> cells = new ArrayList<>();
        for (int i = 0; i < state.cells(); i++) {
            cells.add((int) ((state.count().attempts() + i) % state.cells()));
        }
        cells.sort(Comparator.comparingLong(state::freeDevices).reversed());
        return cells;
    }

    /** Returns the free devices of a cell without those that an item requests, until its next report; empty if the number is unknown. */
    Optional<RouterRow.FreeDevicesRow> freeDevicesWithout(int cell, ObjectIndex.ItemReadiness.Ready ready) {
        long free = state.freeDevices(cell);
        if (free == Long.MAX_VALUE) {
            return Optional.empty();
        }
        long requested = ready.claims().stream()
                .flatMap(key -> state.clusterState().claim(key).stream())
                .mapToLong(CandidateCells::devices)
                .sum();
        return Optional.of(new RouterRow.FreeDevicesRow(cell, Math.max(0, free - requested)));
    }

    /** Returns how many devices a claim requests; 1 per request if the number is not fixed. */
    private static long devices(ResourceClaim claim) {
        return claim.spec().requests().stream()
                .mapToLong(request -> switch (request) {
                    case DeviceRequest.Exactly exactly ->
                        Math.max(1, exactly.spec().count());
                    case DeviceRequest.FirstAvailable first -> 1;
                    case DeviceRequest.UnknownRequest unsupported -> 1;
                })
                .sum();
    }
}

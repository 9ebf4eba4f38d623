package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.DeviceResult;
import java.util.List;
import java.util.Optional;

/**
 * The present state of a work item: where its claims are allocated, or why it is pending.
 *
 * @param reason why the item is pending; empty if all its claims are allocated
 * @param message the reason with numbers, or why this node was selected
 * @param node the node of the devices; empty if there is none, or if every node can use the devices
 * @param devices the devices of all its claims
 */
public record ItemOutcome(
        ItemId item, Optional<Reason> reason, String message, Optional<String> node, List<DeviceResult> devices) {
    public ItemOutcome {
        devices = List.copyOf(devices);
    }

    /** The state of an item; empty if the cell does not have it, for example because its pod needs no claim. */
    public static Optional<ItemOutcome> of(State state, ItemId item) {
        return state.item(item).map(row -> {
            List<Allocation> allocations = WorkItemAssembly.of(state, item).claims().stream()
                    .flatMap(claim -> state.claim(claim).stream())
                    .flatMap(claim -> state.allocation(claim).stream())
                    .toList();
            return new ItemOutcome(
                    item,
                    row.reason(),
                    row.message(),
                    allocations.stream()
                            .flatMap(allocation -> allocation.nodeSelector().stream())
                            .flatMap(selector -> selector.onlyNode().stream())
                            .findFirst(),
                    allocations.stream()
                            .flatMap(allocation -> allocation.results().stream())
                            .toList());
        });
    }

    /** Whether all claims of the item are allocated. */
    public boolean isAllocated() {
        return reason.isEmpty();
    }
}

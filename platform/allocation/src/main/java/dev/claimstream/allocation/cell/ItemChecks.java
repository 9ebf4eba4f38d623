package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.allocation.solver.DeviceCheck;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.allocation.solver.UnallocatedClaim;
import dev.claimstream.allocation.solver.WorkMeter;
import dev.claimstream.dra.ObjectKey;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Every device of the cell with the first requirement of a work item that it fails.
 *
 * @param reason why the item is pending; empty if all its claims are allocated
 * @param message the reason with numbers
 * @param claims the unallocated claims of the item
 * @param devices one check per request or alternative and device; empty if the item is not searched for, because an
 *     object is missing or all claims are allocated
 */
public record ItemChecks(
        ItemId item,
        Optional<Reason> reason,
        String message,
        List<UnallocatedClaim> claims,
        List<DeviceCheck> devices) {
    public ItemChecks {
        claims = List.copyOf(claims);
        devices = List.copyOf(devices);
    }

    /** Checks all devices for an item; empty if the cell does not have the item. It changes nothing. */
    public static Optional<ItemChecks> of(State state, ItemId item) {
        return state.item(item).map(row -> switch (WorkItemAssembly.of(state, item)) {
            case WorkItemAssembly.NotReady unready ->
                new ItemChecks(
                        item,
                        Optional.of(unready.diagnosis().reason()),
                        unready.diagnosis().message(),
                        List.of(),
                        List.of());
            case WorkItemAssembly.Ready ready ->
                new ItemChecks(
                        item,
                        row.reason(),
                        row.message(),
                        ready.unallocated(),
                        ready.unallocated().isEmpty()
                                ? List.of()
                                : state.planner()
                                        .checks(ready.shape(), ready.unallocated(), exclusion(state, row, ready)));
        });
    }

    /** Finds the item that allocates a claim: the claim itself, or the first pod in queue order that uses it. */
    public static Optional<ItemId> itemOf(State state, ObjectKey claim) {
        return Optional.of(ItemId.claim(claim))
                .filter(item -> state.item(item).isPresent())
                .or(() -> state.podsOf(claim).stream()
                        .map(ItemId::pod)
                        .flatMap(item -> state.item(item).stream())
                        .min((one, other) -> one.rank().compareTo(other.rank()))
                        .map(SchedulingRow.ItemRow::item));
    }

    private static Function<NodeDeviceView, Optional<String>> exclusion(
            State state, SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready) {
        ExcludedNodes excluded = ExcludedNodes.to(state, row);
        var earmarks = new EarmarkPolicy(state, WorkMeter.unlimited());
        return node -> excluded.obstacle(node)
                .or(() -> earmarks.mayUse(node, row.rank(), ready.shape())
                        ? Optional.empty()
                        : Optional.of("earmarked for an older item"));
    }
}

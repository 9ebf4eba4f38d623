package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.DeviceUsage;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceList;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The invariants of every state between two inputs. Tests check them after each step. */
public final class Invariants {
    private Invariants() {}

    /**
     * Checks all invariants.
     *
     * @throws IllegalStateException if any is violated; the message lists each violation
     */
    public static void check(State state) {
        List<String> broken = new ArrayList<>();
        devicesAreAllocatedOnce(state, broken);
        holdersMatchRows(state, broken);
        itemsArePendingOrAllocated(state, broken);
        allocatedItemsAreComplete(state, broken);
        rejectionsAreOfExistingClaims(state, broken);
        deallocationsAreOfAllocatedClaims(state, broken);
        nodeUsageMatchesRows(state, broken);
        if (!broken.isEmpty()) {
            throw new IllegalStateException("broken: " + String.join("; ", broken));
        }
    }

    /** No two allocations of this cell share a device or a share. An allocation by another allocator may do so. */
    private static void devicesAreAllocatedOnce(State state, List<String> broken) {
        SortedMap<String, String> holders = new TreeMap<>();
        SortedMap<DeviceId, Boolean> isShared = new TreeMap<>();
        for (ClaimRow.AllocationRow decided : state.rows(ClaimRow.AllocationRow.ALL)) {
            if (isDecidedHere(state, decided)) {
                for (DeviceResult result : ClaimDevices.resultsOf(decided.allocation())) {
                    String share = result.shareId().map(id -> " share " + id).orElse("");
                    String other = holders.put(result.device() + share, decided.claimUid());
                    if (other != null) {
                        broken.add("device %s%s is allocated to claims %s and %s"
                                .formatted(result.device(), share, other, decided.claimUid()));
                    }
                    Boolean before = isShared.put(result.device(), !share.isEmpty());
                    if (before != null && before == share.isEmpty()) {
                        broken.add("device %s is allocated as a whole and in shares".formatted(result.device()));
                    }
                }
            }
        }
    }

    /** Whether the row makes devices unavailable. If the claim's status has an allocation, the row only reserves it. */
    private static boolean isDecidedHere(State state, ClaimRow.AllocationRow decided) {
        return state.claim(decided.claim())
                .filter(claim -> claim.meta().uid().equals(decided.claimUid()))
                .flatMap(ResourceClaim::allocation)
                .isEmpty();
    }

    private static void holdersMatchRows(State state, List<String> broken) {
        SortedMap<DeviceId, List<String>> expected = new TreeMap<>();
        state.devicesByHolder()
                .forEach((uid, results) ->
                        results.forEach(result -> expected.computeIfAbsent(result.device(), key -> new ArrayList<>())
                                .add(uid)));
        for (DeviceUsage holding : state.inventory().usages()) {
            List<String> uids = new ArrayList<>(
                    holding.entries().stream().map(DeviceUsage.UsageEntry::uid).toList());
            List<String> desired = new ArrayList<>(expected.getOrDefault(holding.device(), List.of()));
            uids.sort(null);
            desired.sort(null);
            if (!uids.equals(desired)) {
                broken.add("device %s has holders %s, rows say %s".formatted(holding.device(), uids, desired));
            }
        }
    }

    private static void itemsArePendingOrAllocated(State state, List<String> broken) {
        for (SchedulingRow.ItemRow item : state.rows(SchedulingRow.ItemRow.ALL)) {
            boolean isQueued = item.item().equals(state.pending().get(item.rank()));
            if (isQueued != item.isPending()) {
                broken.add("%s pending: %s, queued: %s".formatted(item.item(), item.isPending(), isQueued));
            }
            if (!exists(state, item.item())) {
                broken.add("%s has no object".formatted(item.item()));
            }
        }
        if (state.pending().size() > state.rows(SchedulingRow.ItemRow.ALL).size()) {
            broken.add("the queue holds items without rows");
        }
    }

    private static boolean exists(State state, ItemId item) {
        Kind kind = item.kind() == ItemId.ItemKind.POD ? Kind.POD : Kind.RESOURCE_CLAIM;
        return state.object(kind, item.key())
                .flatMap(ObservedRow.ObjectRow::content)
                .isPresent();
    }

    private static void allocatedItemsAreComplete(State state, List<String> broken) {
        for (SchedulingRow.ItemRow item : state.rows(SchedulingRow.ItemRow.ALL)) {
            if (!item.isPending()) {
                boolean complete = WorkItemAssembly.of(state, item.item()) instanceof WorkItemAssembly.Ready ready
                        && ready.unallocated().isEmpty();
                if (!complete) {
                    broken.add("%s counts as allocated and lacks a claim".formatted(item.item()));
                }
            }
        }
    }

    private static void rejectionsAreOfExistingClaims(State state, List<String> broken) {
        for (ClaimRow.RejectionRow rejection : state.rows(ClaimRow.RejectionRow.ALL)) {
            if (state.claimWithUid(rejection.claimUid()).isEmpty()) {
                broken.add("claim %s was rejected and does not exist".formatted(rejection.claimUid()));
            }
        }
    }

    /** Claims that are cleared must not be cleared again. */
    private static void deallocationsAreOfAllocatedClaims(State state, List<String> broken) {
        for (ClaimRow.DeallocationRow deallocation : state.rows(ClaimRow.DeallocationRow.ALL)) {
            if (state.claimWithUid(deallocation.claimUid())
                    .flatMap(state::claim)
                    .flatMap(ResourceClaim::allocation)
                    .isEmpty()) {
                broken.add("claim %s is to be deallocated and has no allocation".formatted(deallocation.claim()));
            }
        }
    }

    /** The used resources of every node equal the sum over its pods. */
    private static void nodeUsageMatchesRows(State state, List<String> broken) {
        SortedMap<String, ResourceList> used = new TreeMap<>();
        for (ObservedRow.ObjectRow pod : state.rows(ObservedRow.ObjectRow.allOf(Kind.POD))) {
            state.nodeUsage()
                    .usageOf(pod.object())
                    .ifPresent(charge -> used.merge(charge.node(), charge.requests(), ResourceList::plus));
        }
        var known = new TreeMap<>(state.inventory().reservedNodeResources());
        if (!known.equals(used)) {
            broken.add("pods use %s of nodes, but the inventory has %s".formatted(used, known));
        }
        if (!state.nodeUsage().byPriority().all().equals(used)) {
            broken.add("pods use %s of nodes, but the sums by priority are %s"
                    .formatted(used, state.nodeUsage().byPriority().all()));
        }
    }
}

package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.Holding;
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
        ourGrantsHoldADeviceOnce(state, broken);
        holdersFollowFromRows(state, broken);
        itemsAreInOnePlace(state, broken);
        grantedItemsHaveEverything(state, broken);
        refusalsAreOfClaimsThatStand(state, broken);
        deallocationsAreOfAllocatedClaims(state, broken);
        roomFollowsFromRows(state, broken);
        if (!broken.isEmpty()) {
            throw new IllegalStateException("broken: " + String.join("; ", broken));
        }
    }

    /** No two allocations of this cell share a device or a share. An allocation by another allocator may conflict. */
    private static void ourGrantsHoldADeviceOnce(State state, List<String> broken) {
        SortedMap<String, String> holders = new TreeMap<>();
        SortedMap<DeviceId, Boolean> isShared = new TreeMap<>();
        for (Row row : state.rowsFrom("grant/").values()) {
            if (row instanceof Row.GrantRow grant && isOurs(state, grant)) {
                for (DeviceResult result : State.heldBy(grant.allocation())) {
                    String share = result.shareId().map(id -> " share " + id).orElse("");
                    String other = holders.put(result.device() + share, grant.claimUid());
                    if (other != null) {
                        broken.add("device %s%s is granted to claims %s and %s"
                                .formatted(result.device(), share, other, grant.claimUid()));
                    }
                    Boolean before = isShared.put(result.device(), !share.isEmpty());
                    if (before != null && before == share.isEmpty()) {
                        broken.add("device %s is granted as a whole and in shares".formatted(result.device()));
                    }
                }
            }
        }
    }

    /** Whether the row makes devices unavailable. If the claim's status has an allocation, the row only reserves it. */
    private static boolean isOurs(State state, Row.GrantRow grant) {
        return state.claim(grant.claim())
                .filter(claim -> claim.meta().uid().equals(grant.claimUid()))
                .flatMap(ResourceClaim::allocation)
                .isEmpty();
    }

    private static void holdersFollowFromRows(State state, List<String> broken) {
        SortedMap<DeviceId, List<String>> expected = new TreeMap<>();
        state.held()
                .forEach((uid, results) ->
                        results.forEach(result -> expected.computeIfAbsent(result.device(), key -> new ArrayList<>())
                                .add(uid)));
        for (Holding holding : state.inventory().holdings()) {
            List<String> uids = new ArrayList<>(
                    holding.holders().stream().map(Holding.Holder::uid).toList());
            List<String> wanted = new ArrayList<>(expected.getOrDefault(holding.device(), List.of()));
            uids.sort(null);
            wanted.sort(null);
            if (!uids.equals(wanted)) {
                broken.add("device %s has holders %s, rows say %s".formatted(holding.device(), uids, wanted));
            }
        }
    }

    private static void itemsAreInOnePlace(State state, List<String> broken) {
        for (Row row : state.rowsFrom("item/").values()) {
            if (row instanceof Row.ItemRow item) {
                boolean isQueued = item.item().equals(state.waiting().get(item.rank()));
                if (isQueued != item.waits()) {
                    broken.add("%s waits: %s, queued: %s".formatted(item.item(), item.waits(), isQueued));
                }
                if (!stands(state, item.item())) {
                    broken.add("%s has no object".formatted(item.item()));
                }
            }
        }
        if (state.waiting().size() > state.rowsFrom("item/").size()) {
            broken.add("the queue holds items without rows");
        }
    }

    private static boolean stands(State state, ItemId item) {
        Kind kind = item.sort() == ItemId.Sort.POD ? Kind.POD : Kind.RESOURCE_CLAIM;
        return state.object(kind, item.key()).flatMap(Row.ObjectRow::content).isPresent();
    }

    private static void grantedItemsHaveEverything(State state, List<String> broken) {
        for (Row row : state.rowsFrom("item/").values()) {
            if (row instanceof Row.ItemRow item && !item.waits()) {
                boolean complete = Assembly.of(state, item.item()) instanceof Assembly.Ready ready
                        && ready.asked().isEmpty();
                if (!complete) {
                    broken.add("%s counts as granted and lacks a claim".formatted(item.item()));
                }
            }
        }
    }

    private static void refusalsAreOfClaimsThatStand(State state, List<String> broken) {
        for (Row row : state.rowsFrom("refused/").values()) {
            if (row instanceof Row.RefusedRow refused
                    && state.claimWithUid(refused.claimUid()).isEmpty()) {
                broken.add("claim %s was refused and is gone".formatted(refused.claimUid()));
            }
        }
    }

    /** Claims that are cleared must not be cleared again. */
    private static void deallocationsAreOfAllocatedClaims(State state, List<String> broken) {
        for (Row row : state.rowsFrom(Row.DeallocationRow.PREFIX).values()) {
            if (row instanceof Row.DeallocationRow deallocation
                    && state.claimWithUid(deallocation.claimUid())
                            .flatMap(state::claim)
                            .flatMap(ResourceClaim::allocation)
                            .isEmpty()) {
                broken.add("claim %s is to be deallocated and has no allocation".formatted(deallocation.claim()));
            }
        }
    }

    /** The used resources of every node equal the sum over its pods. */
    private static void roomFollowsFromRows(State state, List<String> broken) {
        SortedMap<String, ResourceList> taken = new TreeMap<>();
        for (Row row : state.rowsFrom("object/" + Kind.POD.apiName() + "/").values()) {
            if (row instanceof Row.ObjectRow pod) {
                state.charges()
                        .charge(pod.object())
                        .ifPresent(charge -> taken.merge(charge.node(), charge.requests(), ResourceList::plus));
            }
        }
        var known = new TreeMap<>(state.inventory().taken());
        if (!known.equals(taken)) {
            broken.add("pods take %s of nodes, and %s is noted".formatted(taken, known));
        }
        if (!state.charges().byPriority().all().equals(taken)) {
            broken.add("pods take %s of nodes, and by priority %s is noted"
                    .formatted(taken, state.charges().byPriority().all()));
        }
    }
}

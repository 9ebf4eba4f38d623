package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.DeviceUsage;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.ItemShape;
import dev.claimstream.allocation.solver.NodeRules;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.allocation.solver.UnallocatedClaim;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The allocations of a pod's claims that may be cleared to place the pod elsewhere.
 *
 * <p>kube-scheduler does this itself for pods without the allocation gate. It never sees gated pods. With several cells
 * the router decides, on the proposal of a cell ({@link CellReport.DeallocationProposed}).
 *
 * @param claims claims that may be deallocated
 * @param lost those of them with a device that is not published any more
 */
record DeallocationCandidates(State state, ItemId item, List<ResourceClaim> claims, List<ResourceClaim> lost) {
    /** The claims to deallocate, and the placement of the pod without their allocations. */
    record Reallocation(List<ResourceClaim> claims, AllocationPlan.Allocated placed) {}

    /**
     * The result of a search for a reallocation.
     *
     * @param reallocation absent if the pod fits nowhere, even without these allocations
     * @param steps search steps
     */
    record ReallocationResult(Optional<Reallocation> reallocation, long steps) {
        static final ReallocationResult NONE = new ReallocationResult(Optional.empty(), 0);
    }

    /** The allocations that may be cleared for an item, as far as this cell knows. */
    static DeallocationCandidates of(State state, ItemId item, WorkItemAssembly.Ready ready) {
        Optional<Pod> pod = item.kind() == ItemId.ItemKind.POD ? state.pod(item.key()) : Optional.empty();
        var condition = new DeallocationCondition(state, each -> isPending(state, each));
        List<ResourceClaim> claims = pod.map(each -> ready.allocated().stream()
                        .filter(claim -> ready.consumer(claim.key())
                                .filter(consumer -> condition.isMet(claim, each, consumer))
                                .isPresent())
                        .toList())
                .orElse(List.of());
        List<ResourceClaim> lost =
                claims.stream().filter(claim -> isLost(state, claim)).toList();
        return new DeallocationCandidates(state, item, claims, lost);
    }

    /** A pod with allocated claims is about to run, even if its gate is not removed yet. */
    private static boolean isPending(State state, Pod pod) {
        return state.item(ItemId.pod(pod.key()))
                .map(SchedulingRow.ItemRow::isPending)
                .orElse(true);
    }

    /** Whether a device of the claim is missing in a complete pool generation, or its pool is deleted. */
    private static boolean isLost(State state, ResourceClaim claim) {
        return claim.allocation().stream()
                .flatMap(allocation -> ClaimDevices.devicesOf(allocation).stream())
                .anyMatch(device -> state.inventory()
                        .slices()
                        .published(device.poolId())
                        .map(names -> !names.contains(device.device()))
                        .orElseGet(() -> isPoolDeleted(state, device)));
    }

    private static boolean isPoolDeleted(State state, DeviceId device) {
        return state.isPoolDeleted(device.poolId())
                && state.coordination()
                        .ownsDeletedPool(state.inventory()
                                .usages()
                                .find(device)
                                .map(DeviceUsage::entries)
                                .orElse(List.of()));
    }

    boolean isEmpty() {
        return claims.isEmpty();
    }

    /** The shape of all claims that an attempt may plan: unallocated claims and those that may be deallocated. */
    static Optional<ItemShape> shape(State state, ItemId item, WorkItemAssembly.Ready ready) {
        DeallocationCandidates candidates = ready.allocated().isEmpty()
                ? new DeallocationCandidates(state, item, List.of(), List.of())
                : of(state, item, ready);
        return candidates.isEmpty()
                ? Optional.empty()
                : Optional.of(new ItemShape(
                        Stream.concat(
                                        ready.unallocated().stream().map(UnallocatedClaim::spec),
                                        candidates.claims.stream().map(ResourceClaim::spec))
                                .toList(),
                        NodeRules.none()));
    }

    /** Whether a device of the claims is lost, so that the pod can run on no node without a deallocation. */
    boolean isForced() {
        return !lost.isEmpty();
    }

    /**
     * Searches for the fewest claims to deallocate. The state is unchanged afterwards.
     *
     * <p>Tries the claims with lost devices, then these with one other claim each, then all claims. With several cells
     * only the claims of the lease count.
     *
     * @param planning plans the pod for the state without these allocations
     */
    ReallocationResult attempt(Function<WorkItemAssembly.Ready, AllocationPlan> planning) {
        long steps = 0;
        for (List<ResourceClaim> each : choices()) {
            Optional<AllocationPlan> plan = planWithout(each, planning);
            steps += plan.map(AllocationPlan::steps).orElse(0L);
            if (plan.orElse(null) instanceof AllocationPlan.Allocated placed) {
                return new ReallocationResult(Optional.of(new Reallocation(each, placed)), steps);
            }
        }
        return new ReallocationResult(Optional.empty(), steps);
    }

    private List<List<ResourceClaim>> choices() {
        var choices = new LinkedHashSet<List<ResourceClaim>>();
        if (isForced()) {
            choices.add(lost);
        }
        claims.stream()
                .filter(each -> !lost.contains(each))
                .map(each -> {
                    List<ResourceClaim> more = new ArrayList<>(lost);
                    more.add(each);
                    return List.copyOf(more);
                })
                .forEach(choices::add);
        if (!claims.isEmpty()) {
            choices.add(claims);
        }
        return choices.stream()
                .filter(choice -> choice.stream().allMatch(this::isPermitted))
                .toList();
    }

    private boolean isPermitted(ResourceClaim claim) {
        return state.coordination().mayDeallocate(item, claim.meta().uid());
    }

    /** The UIDs of the claims. */
    List<String> uids() {
        return claims.stream().map(claim -> claim.meta().uid()).toList();
    }

    /** The decisions to deallocate, without numbers. */
    List<Decision> decisions(WorkItemAssembly.Ready ready, Reallocation found) {
        return found.claims().stream()
                .map(claim -> new Decision(
                        claim.key(),
                        claim.meta().uid(),
                        0,
                        item,
                        result(ready, claim, found.placed().node())))
                .toList();
    }

    private Optional<AllocationPlan> planWithout(
            List<ResourceClaim> cleared, Function<WorkItemAssembly.Ready, AllocationPlan> planning) {
        var speculative = new SpeculativeFacts(state);
        speculative.apply(cleared.stream().flatMap(this::clear).toList(), List.of());
        try {
            return WorkItemAssembly.of(state, item) instanceof WorkItemAssembly.Ready ready
                    ? Optional.of(planning.apply(ready))
                    : Optional.empty();
        } finally {
            speculative.rollBack();
        }
    }

    private Stream<Fact> clear(ResourceClaim claim) {
        ObservedRow.ObjectRow row = state.object(claim.kind(), claim.key()).orElseThrow();
        var free = new ResourceClaim(claim.meta(), claim.spec(), Optional.empty(), List.of());
        Fact put = new Fact.Put(row.withContent(free));
        return Stream.concat(
                Stream.of(put),
                state
                        .decidedAllocation(claim.meta().uid())
                        .map(decided -> (Fact) new Fact.Drop(decided.key()))
                        .stream());
    }

    Decision.DecisionResult.Deallocation result(WorkItemAssembly.Ready ready, ResourceClaim claim, String node) {
        return new Decision.DecisionResult.Deallocation(
                claim.allocation().orElseThrow(),
                ready.consumer(claim.key()).orElseThrow(),
                state.version(claim.key()),
                decisionMessage(claim, node));
    }

    /** The diagnosis of the item after the deallocation is decided. */
    AllocationPlan.PendingDiagnosis diagnosis(Reallocation found) {
        return new AllocationPlan.PendingDiagnosis(
                Reason.Reallocating,
                decisionMessage(found.claims().getFirst(), found.placed().node()),
                Optional.empty());
    }

    /** The diagnosis of the item if a device is lost and the pod fits nowhere without it. */
    AllocationPlan.PendingDiagnosis diagnosis() {
        ResourceClaim claim = lost.getFirst();
        return new AllocationPlan.PendingDiagnosis(
                Reason.DeviceNotPublished,
                "claim %s is allocated%s, which is not published any more, and no node has other devices for it"
                        .formatted(claim.key(), deviceText(claim)),
                Optional.empty());
    }

    private static String deviceText(ResourceClaim claim) {
        return claim.allocation()
                .flatMap(allocation ->
                        ClaimDevices.devicesOf(allocation).stream().findFirst())
                .map(device -> " with device " + device)
                .orElse("");
    }

    private String decisionMessage(ResourceClaim claim, String node) {
        Allocation allocation = claim.allocation().orElseThrow();
        String allocatedNode = allocation
                .nodeSelector()
                .flatMap(NodeSelector::onlyNode)
                .map(name -> " on node " + name)
                .orElse("");
        String devices = deviceText(claim);
        return lost.contains(claim)
                ? "claim %s is allocated%s%s, which is not published any more; the claim is deallocated and allocated again, %s has what the pod needs"
                        .formatted(claim.key(), allocatedNode, devices, node)
                : "claim %s is allocated%s%s, where %s cannot run, and no other pod uses it; the claim is deallocated and allocated again, %s has what the pod needs"
                        .formatted(claim.key(), allocatedNode, devices, item, node);
    }

    /** The message of an item whose claim is being deallocated. */
    static String message(ClaimRow.DeallocationRow row) {
        return "claim %s is being deallocated for %s (decision %d): it is allocated again once the cluster shows it without allocation"
                .formatted(row.claim(), row.item(), row.number());
    }

    /** Whether a pod change does not affect placement, such as a change of annotations or status. */
    static boolean hasSamePlacement(Optional<Pod> before, Optional<Pod> after) {
        return before.isPresent()
                && after.isPresent()
                && placement(before.get()).equals(placement(after.get()));
    }

    private static List<Object> placement(Pod pod) {
        ObjectMeta meta = pod.meta();
        return List.of(
                meta.uid(),
                meta.labels(),
                meta.deleting(),
                pod.nodeName(),
                pod.nodeSelector(),
                pod.requiredAffinity(),
                pod.tolerations(),
                pod.resourceClaims(),
                pod.requests(),
                pod.podGroup(),
                pod.schedulingGates(),
                pod.topology(),
                pod.finished());
    }
}

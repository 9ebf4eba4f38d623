package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Accounting;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.ItemShape;
import dev.claimstream.allocation.solver.NodeRules;
import dev.claimstream.allocation.solver.PodDemand;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.allocation.solver.UnallocatedClaim;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.ExtendedResources;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The input of one attempt, assembled from rows, or the reason why there can be none. */
sealed interface WorkItemAssembly {
    /** The known claims of the item. */
    List<ObjectKey> claims();

    /**
     * The item can be planned.
     *
     * @param unallocated claims without an allocation
     * @param allocated claims with an allocation, by this cell or another allocator
     * @param consumers the consumer of each claim: the pod or its PodGroup; empty for a standalone claim
     * @param accounting node resources that the devices use; absent if the feature is off
     */
    record Ready(
            List<ObjectKey> claims,
            List<UnallocatedClaim> unallocated,
            List<ResourceClaim> allocated,
            NodeRules rules,
            SortedMap<ObjectKey, ClaimConsumer> consumers,
            Optional<Accounting> accounting)
            implements WorkItemAssembly {
        /** The claims without an allocation. */
        List<ObjectKey> unallocatedKeys() {
            return unallocated.stream().map(UnallocatedClaim::claim).toList();
        }

        ItemShape shape() {
            return new ItemShape(
                    unallocated.stream().map(UnallocatedClaim::spec).toList(), rules, accounting);
        }

        /** Whether every claim is allocated and reserved for its consumer. */
        boolean isFullyReserved(ObservedState state) {
            return unallocated.isEmpty() && allocated.stream().allMatch(claim -> isReserved(state, claim));
        }

        /** Whether a claim is reserved for its consumer. */
        boolean isReserved(ObservedState state, ResourceClaim claim) {
            Optional<ClaimConsumer> consumer = consumer(claim.key());
            return consumer.isEmpty() || ClaimReservations.has(state, claim, consumer.get());
        }

        /**
         * Whether other allocators have allocated every claim. Then kube-scheduler places the pod and deallocates if
         * needed.
         */
        boolean isUnmanaged(ObservedState state) {
            return unallocated.isEmpty()
                    && !allocated.isEmpty()
                    && allocated.stream().allMatch(claim -> ManagedClaims.isUnmanaged(state, claim));
        }

        Optional<ClaimConsumer> consumer(ObjectKey claim) {
            return Optional.ofNullable(consumers.get(claim));
        }
    }

    /** The item cannot be planned; it is pending for this reason. */
    record NotReady(List<ObjectKey> claims, AllocationPlan.PendingDiagnosis diagnosis) implements WorkItemAssembly {}

    /** Assembles an item. Its pod or claim must exist. */
    static WorkItemAssembly of(State state, ItemId item) {
        WorkItemAssembly assembly =
                of(state, item, claim -> state.allocation(claim).isPresent());
        return assembly instanceof Ready ready && item.kind() == ItemId.ItemKind.POD
                ? withAccounting(state, ready, state.pod(item.key()).orElseThrow())
                : assembly;
    }

    /** Adds the node resources that devices use, for a pod that is still to be placed. */
    private static WorkItemAssembly withAccounting(State state, Ready ready, Pod pod) {
        var accounting = new NodeResourceAccounting(state);
        return pod.nodeName().isEmpty() && accounting.isEnabled() && !ready.isFullyReserved(state)
                ? accounting.addTo(ready, pod)
                : ready;
    }

    /**
     * Assembles an item, without the node resources that devices use. Its pod or claim must exist.
     *
     * <p>The predicate tells whether a claim is allocated; with several cells also by another cell.
     */
    static WorkItemAssembly of(ObservedState state, ItemId item, Predicate<ResourceClaim> isAllocated) {
        return switch (item.kind()) {
            case CLAIM -> ofClaim(state, item.key(), isAllocated);
            case POD -> ofPod(state, state.pod(item.key()).orElseThrow(), isAllocated);
        };
    }

    /** A standalone claim. If its source waits for a consumer, the item is pending until there is one. */
    private static WorkItemAssembly ofClaim(ObservedState state, ObjectKey key, Predicate<ResourceClaim> isAllocated) {
        WorkItemAssembly assembly = ofClaims(state, List.of(key), NodeRules.none(), new TreeMap<>(), isAllocated);
        return assembly instanceof Ready && ClaimConsumers.areRequired(state, key)
                ? state.claim(key)
                        .filter(claim -> !isAllocated.test(claim))
                        .<WorkItemAssembly>map(claim ->
                                notReady(List.of(key), Reason.NoConsumer, ClaimConsumers.missingMessage(state, claim)))
                        .orElse(assembly)
                : assembly;
    }

    private static WorkItemAssembly ofPod(ObservedState state, Pod pod, Predicate<ResourceClaim> isAllocated) {
        List<ObjectKey> claims = pod.claims();
        Optional<String> gate = pod.otherGate().filter(_ -> pod.nodeName().isEmpty());
        if (gate.isPresent()) {
            return notReady(
                    claims,
                    Reason.OtherSchedulingGate,
                    "pod %s has the scheduling gate %s of another controller: devices are allocated when it is removed"
                            .formatted(pod.key(), gate.get()));
        }
        for (PodClaim each : pod.resourceClaims()) {
            if (each.source() instanceof PodClaim.ClaimSource.TemplateReference from) {
                var template = new ObjectKey(pod.meta().namespace(), from.template());
                return state.template(template).isEmpty()
                        ? notReady(
                                claims, Reason.TemplateMissing, "claim template %s does not exist".formatted(template))
                        : notReady(
                                claims,
                                Reason.ClaimNotCreated,
                                "the ResourceClaim for pod claim %s does not exist yet".formatted(each.name()));
            }
        }
        Optional<String> groupName =
                pod.podGroup().filter(name -> state.settings().features().has(Feature.WORKLOAD_RESOURCE_CLAIMS));
        Optional<PodGroup> group = groupName.flatMap(
                name -> state.podGroup(new ObjectKey(pod.meta().namespace(), name)));
        Optional<ObjectKey> missing = pod.podGroup()
                .map(name -> new ObjectKey(pod.meta().namespace(), name))
                .filter(key -> state.podGroup(key).isEmpty());
        if (missing.isPresent()) {
            return notReady(claims, Reason.PodGroupMissing, "pod group %s does not exist".formatted(missing.get()));
        }
        for (PodClaim each : pod.resourceClaims()) {
            Optional<String> foreign = ownershipConflict(state, pod, each, groupName);
            if (foreign.isPresent()) {
                return notReady(claims, Reason.ClaimNotCreated, foreign.get());
            }
        }
        var rules = NodeRules.of(pod, pod.nodeName().isPresent() ? ResourceList.none() : requests(state, pod));
        WorkItemAssembly assembly = ofClaims(state, claims, rules, consumers(pod, group), isAllocated);
        return assembly instanceof Ready ready && pod.nodeName().isEmpty() && ready.isUnmanaged(state)
                ? unmanaged(claims, ready.allocated.getFirst().key())
                : assembly;
    }

    /** A message if the claim was made for another pod or group. */
    private static Optional<String> ownershipConflict(
            ObservedState state, Pod pod, PodClaim entry, Optional<String> group) {
        return pod.claim(entry)
                .flatMap(state::claim)
                .filter(claim -> !pod.mayUse(entry, claim, group))
                .map(claim -> "claim %s was not created for pod %s: %s"
                        .formatted(
                                claim.key(),
                                pod.key(),
                                claim.meta()
                                        .controller()
                                        .map(owner -> "it belongs to %s %s".formatted(owner.kind(), owner.name()))
                                        .orElse("it has no owner")));
    }

    /**
     * The consumer of each claim. A claim shared by the PodGroup is reserved for the group, any other claim for the pod
     * ({@code BindTo} in Kubernetes).
     */
    private static SortedMap<ObjectKey, ClaimConsumer> consumers(Pod pod, Optional<PodGroup> group) {
        var consumers = new TreeMap<ObjectKey, ClaimConsumer>();
        for (PodClaim each : pod.resourceClaims()) {
            ClaimConsumer consumer = group.filter(
                            shared -> shared.groupClaim(each).isPresent())
                    .map(shared -> ClaimConsumer.podGroup(
                            shared.meta().name(), shared.meta().uid()))
                    .orElseGet(() ->
                            ClaimConsumer.pod(pod.meta().name(), pod.meta().uid()));
            pod.claim(each).ifPresent(key -> consumers.merge(key, consumer, (one, other) -> one));
        }
        return consumers;
    }

    /**
     * The pod's requests without extended resources that DeviceClasses provide: kube-scheduler creates claims for them,
     * or a device plugin serves them.
     */
    private static ResourceList requests(ObservedState state, Pod pod) {
        return PodDemand.ofPod(pod)
                .without(resource -> ExtendedResources.isExtended(resource)
                        && state.classIndex().providesExtendedResource(resource));
    }

    private static WorkItemAssembly ofClaims(
            ObservedState state,
            List<ObjectKey> keys,
            NodeRules rules,
            SortedMap<ObjectKey, ClaimConsumer> consumers,
            Predicate<ResourceClaim> isAllocated) {
        List<UnallocatedClaim> unallocated = new ArrayList<>();
        List<ResourceClaim> fixed = new ArrayList<>();
        List<ObjectKey> left = new ArrayList<>();
        List<NodeSelector> selectors = new ArrayList<>();
        for (ObjectKey key : keys) {
            Optional<ResourceClaim> found = state.claim(key);
            Optional<NotReady> missing =
                    obstacle(state, keys, key, found, Optional.ofNullable(consumers.get(key)), isAllocated);
            if (missing.isPresent()) {
                return missing.get();
            }
            ResourceClaim claim = found.orElseThrow();
            Optional<Allocation> allocation = state.allocation(claim);
            allocation.flatMap(Allocation::nodeSelector).ifPresent(selectors::add);
            if (allocation.isPresent()) {
                fixed.add(claim);
            } else if (ManagedClaims.isUnmanaged(state, claim)) {
                left.add(key);
            } else {
                unallocated.add(new UnallocatedClaim(key, claim.meta().uid(), claim.spec()));
            }
        }
        if (unallocated.isEmpty() && fixed.isEmpty() && !left.isEmpty()) {
            return unmanaged(keys, left.getFirst());
        }
        return new Ready(
                keys,
                List.copyOf(unallocated),
                List.copyOf(fixed),
                within(state, rules.with(selectors), unallocated),
                consumers,
                Optional.empty());
    }

    /** Devices are allocated on the selected nodes only. A pod whose claims are allocated may run on any node. */
    private static NodeRules within(ObservedState state, NodeRules rules, List<UnallocatedClaim> unallocated) {
        return unallocated.isEmpty() ? rules : rules.within(state.settings().nodes());
    }

    private static NotReady unmanaged(List<ObjectKey> keys, ObjectKey claim) {
        return notReady(
                keys,
                Reason.Unmanaged,
                "kube-scheduler allocates claim %s: its classes are unmanaged".formatted(claim));
    }

    private static Optional<NotReady> obstacle(
            ObservedState state,
            List<ObjectKey> keys,
            ObjectKey key,
            Optional<ResourceClaim> found,
            Optional<ClaimConsumer> consumer,
            Predicate<ResourceClaim> isAllocated) {
        if (found.isEmpty()) {
            return Optional.of(notReady(keys, Reason.ClaimMissing, "claim %s does not exist".formatted(key)));
        }
        ResourceClaim claim = found.get();
        if (claim.meta().deleting()) {
            return Optional.of(notReady(keys, Reason.Terminating, "claim %s is being deleted".formatted(key)));
        }
        Optional<ClaimRow.RejectionRow> rejection =
                state.row(ClaimRow.RejectionRow.key(claim.meta().uid()));
        if (rejection.isPresent()) {
            return Optional.of(notReady(
                    keys,
                    Reason.Rejected,
                    "the cluster rejected the allocation of claim %s: %s"
                            .formatted(key, rejection.get().message())));
        }
        Optional<ClaimRow.DeallocationRow> deallocation =
                state.deallocation(claim.meta().uid()).filter(ClaimRow.DeallocationRow::isActive);
        if (deallocation.isPresent()) {
            return Optional.of(notReady(keys, Reason.Reallocating, DeallocationCandidates.message(deallocation.get())));
        }
        if (claim.allocation().isEmpty() && state.isRevoked(claim)) {
            return Optional.of(notReady(
                    keys,
                    Reason.Revoking,
                    (hasLostDevice(state, claim)
                                    ? "a device of claim %s is not published any more: the allocation is revoked"
                                            + " before the claim is allocated again"
                                    : "no pod used claim %s any more: the allocation is revoked before the claim is"
                                            + " allocated again")
                            .formatted(key)));
        }
        boolean isFree = !isAllocated.test(claim);
        Optional<String> mixed = isFree ? ManagedClaims.mixedClassesMessage(state, claim) : Optional.empty();
        if (mixed.isPresent()) {
            return Optional.of(notReady(keys, Reason.Unmanaged, mixed.get()));
        }
        if (isFree
                && requestsAdminAccess(claim)
                && !ManagedClaims.isUnmanaged(state, claim)
                && !state.namespace(key.namespace())
                        .map(Namespace::allowsAdminAccess)
                        .orElse(false)) {
            return Optional.of(notReady(
                    keys,
                    Reason.AdminAccessDenied,
                    "claim %s requests admin access, and namespace %s does not have the label %s=true"
                            .formatted(key, key.namespace(), Namespace.ADMIN_ACCESS_LABEL)));
        }
        if (consumer.isPresent()
                && !ClaimReservations.has(state, claim, consumer.get())
                && ClaimReservations.of(state, claim).size() >= ClaimConsumer.MAX) {
            return Optional.of(notReady(
                    keys,
                    Reason.ConsumersExhausted,
                    "claim %s already has the maximum of %d consumers".formatted(key, ClaimConsumer.MAX)));
        }
        return Optional.empty();
    }

    private static boolean hasLostDevice(ObservedState state, ResourceClaim claim) {
        return state.allocation(claim).stream()
                .flatMap(allocation -> ClaimDevices.devicesOf(allocation).stream())
                .anyMatch(device -> !state.isPublished(device));
    }

    /** A pending result with this reason. */
    static NotReady notReady(List<ObjectKey> claims, Reason reason, String message) {
        return new NotReady(claims, new AllocationPlan.PendingDiagnosis(reason, message, Optional.empty()));
    }

    private static boolean requestsAdminAccess(ResourceClaim claim) {
        return claim.spec().requests().stream()
                .anyMatch(request -> request instanceof DeviceRequest.Exactly exactly && exactly.admin());
    }
}

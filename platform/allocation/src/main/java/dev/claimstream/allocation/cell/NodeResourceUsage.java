package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.solver.PodDemand;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceList;
import dev.claimstream.dra.ResourceSlice;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The node resources that pods use.
 *
 * <p>Counts bound pods, and pods whose claims are allocated on a node. Derived from rows alone.
 */
final class NodeResourceUsage {
    private final State state;
    private final DeviceInventory inventory;
    private final NodeResourceAccounting accounting;
    private final UsageByPriority byPriority = new UsageByPriority();
    private final Map<ObjectKey, PodResourceUsage> podUsages = new LinkedHashMap<>();
    private final Map<PoolId, SortedSet<ObjectKey>> podsOfPool = new LinkedHashMap<>();
    private final Map<ObjectKey, SortedSet<PoolId>> poolsOfPod = new LinkedHashMap<>();

    NodeResourceUsage(State state, DeviceInventory inventory) {
        this.state = state;
        this.inventory = inventory;
        this.accounting = new NodeResourceAccounting(state);
    }

    /** The resources that a pod uses on its node. */
    record PodResourceUsage(String node, int priority, ResourceList requests) {}

    /** Updates the pods that a row change concerns. Call it after all other indexes are updated. */
    void update(Optional<Row> before, Optional<Row> after) {
        before.ifPresent(this::updatePools);
        after.ifPresent(this::updatePools);
        after.or(() -> before).ifPresent(this::updatePods);
    }

    /** The devices of a changed pool may use other node resources. */
    private void updatePools(Row row) {
        switch (row) {
            case ObservedRow.ObjectRow object
            when object.content().orElse(null) instanceof ResourceSlice slice -> update(slice.poolId());
            case Row.SettingsRow _ -> updateAll();
            default -> {}
        }
    }

    /** The usage of a pod depends on the pod, its item and the allocations of its claims. */
    private void updatePods(Row row) {
        switch (row) {
            case ObservedRow.ObjectRow object -> updatePods(object);
            case ClaimRow.AllocationRow decided -> state.podsOf(decided.claim()).forEach(this::update);
            case SchedulingRow.ItemRow item
            when item.item().kind() == ItemId.ItemKind.POD -> update(item.item().key());
            default -> {}
        }
    }

    private void updatePods(ObservedRow.ObjectRow object) {
        switch (object.kind()) {
            case POD -> update(object.object());
            case NODE -> state.podAffinity().nodeChanged();
            case NAMESPACE -> state.podAffinity().namespaceChanged();
            case RESOURCE_CLAIM -> state.podsOf(object.object()).forEach(this::update);
            case RESOURCE_SLICE, DEVICE_CLASS, DEVICE_TAINT_RULE, POD_GROUP, RESOURCE_CLAIM_TEMPLATE -> {}
        }
    }

    private void update(ObjectKey key) {
        Optional<PodResourceUsage> now = usageOf(key);
        PodResourceUsage before = now.isPresent() ? podUsages.put(key, now.get()) : podUsages.remove(key);
        if (before != null && now.filter(before::equals).isEmpty()) {
            inventory.releaseNodeResources(before.node, before.requests);
            byPriority.subtract(before.node, before.priority, before.requests);
        }
        now.filter(charge -> !charge.equals(before)).ifPresent(charge -> {
            inventory.reserveNodeResources(charge.node, charge.requests);
            byPriority.add(charge.node, charge.priority, charge.requests);
        });
        state.podAffinity().update(key, now.map(PodResourceUsage::node));
        link(key, now.isPresent() && accounting.isEnabled() ? pools(key) : Collections.emptySortedSet());
    }

    private void update(PoolId pool) {
        List.copyOf(podsOfPool.getOrDefault(pool, Collections.emptySortedSet())).forEach(this::update);
    }

    private void updateAll() {
        List.copyOf(podUsages.keySet()).forEach(this::update);
    }

    /** The same resources by pod priority. */
    UsageByPriority byPriority() {
        return byPriority;
    }

    /** Whether a pod uses resources of a node. */
    boolean isCounted(ObjectKey key) {
        return podUsages.containsKey(key);
    }

    private SortedSet<PoolId> pools(ObjectKey key) {
        return state.pod(key).map(pod -> accounting.demandOf(pod).pools()).orElse(Collections.emptySortedSet());
    }

    private void link(ObjectKey pod, SortedSet<PoolId> now) {
        SortedSet<PoolId> before = now.isEmpty() ? poolsOfPod.remove(pod) : poolsOfPod.put(pod, now);
        if (before != null) {
            before.forEach(pool -> {
                podsOfPool.computeIfPresent(pool, (_, pods) -> {
                    pods.remove(pod);
                    return pods.isEmpty() ? null : pods;
                });
            });
        }
        now.forEach(pool ->
                podsOfPool.computeIfAbsent(pool, each -> new TreeSet<>()).add(pod));
    }

    /** The usage of every pod; an unmodifiable view. */
    Map<ObjectKey, PodResourceUsage> all() {
        return Collections.unmodifiableMap(podUsages);
    }

    /** Computes the current usage of a pod; empty if it has finished or has no node yet. */
    Optional<PodResourceUsage> usageOf(ObjectKey key) {
        return state.pod(key)
                .filter(pod -> !pod.finished())
                .flatMap(pod -> pod.nodeName()
                        .or(() -> nodeOf(pod))
                        .map(node -> new PodResourceUsage(node, pod.priority(), resourcesOf(pod))));
    }

    private ResourceList resourcesOf(Pod pod) {
        ResourceList ofPod = PodDemand.ofPod(pod);
        return accounting.isEnabled() ? ofPod.plus(accounting.demandOf(pod).ofDevices()) : ofPod;
    }

    /** The node of an allocated item whose pod kube-scheduler has not bound yet. */
    private Optional<String> nodeOf(Pod pod) {
        boolean isServed = state.item(ItemId.pod(pod.key()))
                .filter(item -> item.uid().equals(pod.meta().uid()) && !item.isPending())
                .isPresent();
        return isServed ? nodeOfClaims(pod) : Optional.empty();
    }

    private Optional<String> nodeOfClaims(Pod pod) {
        return pod.claims().stream()
                .flatMap(claim -> state.claim(claim).stream())
                .flatMap(claim -> nodeOf(claim).stream())
                .findFirst();
    }

    private Optional<String> nodeOf(ResourceClaim claim) {
        return state.allocation(claim)
                .flatMap(Allocation::nodeSelector)
                .flatMap(NodeSelector::onlyNode)
                .or(() -> state.decidedAllocation(claim.meta().uid()).map(ClaimRow.AllocationRow::node));
    }
}

package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.Inventory;
import dev.claimstream.allocation.solver.PodDemand;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceList;
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
final class Charges {
    private final State state;
    private final Inventory inventory;
    private final Accounts accounts;
    private final TakenByPriority byPriority = new TakenByPriority();
    private final Map<ObjectKey, Charge> charges = new LinkedHashMap<>();
    private final Map<PoolId, SortedSet<ObjectKey>> podsOfPool = new LinkedHashMap<>();
    private final Map<ObjectKey, SortedSet<PoolId>> poolsOfPod = new LinkedHashMap<>();

    Charges(State state, Inventory inventory) {
        this.state = state;
        this.inventory = inventory;
        this.accounts = new Accounts(state);
    }

    /** The resources that a pod uses on its node. */
    record Charge(String node, int priority, ResourceList requests) {}

    /** Updates a pod after a change of the pod or of what determines its node. */
    void settle(ObjectKey key) {
        Optional<Charge> now = charge(key);
        Charge before = now.isPresent() ? charges.put(key, now.get()) : charges.remove(key);
        if (before != null && now.filter(before::equals).isEmpty()) {
            inventory.giveBack(before.node, before.requests);
            byPriority.giveBack(before.node, before.priority, before.requests);
        }
        now.filter(charge -> !charge.equals(before)).ifPresent(charge -> {
            inventory.take(charge.node, charge.requests);
            byPriority.take(charge.node, charge.priority, charge.requests);
        });
        state.neighbours().settle(key, now.map(Charge::node));
        link(key, now.isPresent() && accounts.areKept() ? pools(key) : Collections.emptySortedSet());
    }

    /** Updates the pods that use devices of a pool whose slices changed. */
    void settle(PoolId pool) {
        List.copyOf(podsOfPool.getOrDefault(pool, Collections.emptySortedSet())).forEach(this::settle);
    }

    /** Updates all pods, after a settings change. */
    void settleAll() {
        List.copyOf(charges.keySet()).forEach(this::settle);
    }

    /** The same resources by pod priority. */
    TakenByPriority byPriority() {
        return byPriority;
    }

    /** Whether a pod uses resources of a node. */
    boolean isCharged(ObjectKey key) {
        return charges.containsKey(key);
    }

    private SortedSet<PoolId> pools(ObjectKey key) {
        return state.pod(key).map(pod -> accounts.of(pod).pools()).orElse(Collections.emptySortedSet());
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
    Map<ObjectKey, Charge> all() {
        return Collections.unmodifiableMap(charges);
    }

    /** Computes the current usage of a pod; empty if it has finished or has no node yet. */
    Optional<Charge> charge(ObjectKey key) {
        return state.pod(key)
                .filter(pod -> !pod.finished())
                .flatMap(pod ->
                        pod.nodeName().or(() -> nodeOf(pod)).map(node -> new Charge(node, pod.priority(), taken(pod))));
    }

    private ResourceList taken(Pod pod) {
        ResourceList ofPod = PodDemand.ofPod(pod);
        return accounts.areKept() ? ofPod.plus(accounts.of(pod).ofDevices()) : ofPod;
    }

    /** The node of an allocated item whose pod kube-scheduler has not bound yet. */
    private Optional<String> nodeOf(Pod pod) {
        boolean isServed = state.item(ItemId.pod(pod.key()))
                .filter(item -> item.uid().equals(pod.meta().uid()) && !item.waits())
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
        return Assembly.allocation(state, claim)
                .flatMap(Allocation::nodeSelector)
                .flatMap(NodeSelector::onlyNode)
                .or(() -> state.grant(claim.meta().uid()).map(Row.GrantRow::node));
    }
}

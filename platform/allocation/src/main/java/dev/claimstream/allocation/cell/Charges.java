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
 * What pods take of nodes: those that are bound to one, and those that are to go there because of what their claims were given. Follows
 * from rows alone.
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

    /** What a pod takes, and where. */
    record Charge(String node, int priority, ResourceList requests) {}

    /** A pod, or what decides where it goes, has changed. */
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

    /** What a pool publishes has changed, and with it perhaps what its devices take of nodes. */
    void settle(PoolId pool) {
        List.copyOf(podsOfPool.getOrDefault(pool, Collections.emptySortedSet())).forEach(this::settle);
    }

    /** Everything may count differently from now on. */
    void settleAll() {
        List.copyOf(charges.keySet()).forEach(this::settle);
    }

    /** The same by the priority of the pods. */
    TakenByPriority byPriority() {
        return byPriority;
    }

    /** Whether a pod takes something of a node. */
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

    /** What every pod takes. */
    Map<ObjectKey, Charge> all() {
        return Collections.unmodifiableMap(charges);
    }

    /** What a pod takes now; nothing where it has ended, or goes nowhere yet. */
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

    /** The node of an item that has been served, before kube-scheduler has bound its pod. */
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

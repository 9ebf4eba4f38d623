package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Accounting;
import dev.claimstream.allocation.solver.Asked;
import dev.claimstream.allocation.solver.NodeDemand;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** What the devices that claims of a pod have been given take of its node's own resources, and whether the pod can account for it. */
final class Accounts {
    private final State state;
    private final Pod pod;
    private final SortedMap<ObjectKey, Integer> containers;

    Accounts(State state, Pod pod) {
        this.state = state;
        this.pod = pod;
        this.containers = containers(pod);
    }

    /** Whether that counts at all. */
    static boolean areKept(State state) {
        return state.settings().features().has(Feature.NODE_ALLOCATABLE_RESOURCES);
    }

    /** What is taken beside what the pod itself asks for. */
    ResourceList taken() {
        return Accounting.beside(pod.spare(), demand(State.claimsOf(pod)));
    }

    /** The pools whose slices say what is taken. */
    SortedSet<PoolId> pools() {
        var pools = new TreeSet<PoolId>();
        State.claimsOf(pod)
                .forEach(claim -> results(claim)
                        .forEach(result -> pools.add(result.device().poolId())));
        return pools;
    }

    /** Puts what must be heeded into an item that can be planned, or says why it cannot be accounted for. */
    Assembly heededIn(Assembly.Ready ready) {
        for (ResourceClaim claim : ready.fixed()) {
            Optional<String> broken = broken(claim.key());
            if (broken.isPresent()) {
                return unready(ready, broken.get());
            }
        }
        var accounting = new Accounting(
                ready.asked().stream()
                        .map(Asked::claim)
                        .map(claim -> containers.getOrDefault(claim, 0))
                        .toList(),
                pod.spare());
        ResourceList before =
                demand(ready.fixed().stream().map(ResourceClaim::key).toList());
        return accounting
                .exceeded(before)
                .map(message -> unready(ready, message))
                .orElseGet(() -> new Assembly.Ready(
                        ready.claims(),
                        ready.asked(),
                        ready.fixed(),
                        ready.rules().plus(Accounting.beside(pod.spare(), before)),
                        ready.consumers(),
                        Optional.of(accounting.without(before))));
    }

    private static Assembly unready(Assembly.Ready ready, String message) {
        return Assembly.unready(ready.claims(), Reason.NotAccountable, message);
    }

    /** A claim whose devices are a part of the node itself is for one pod. */
    private Optional<String> broken(ObjectKey claim) {
        boolean isMapped = results(claim).stream()
                .flatMap(result -> state.inventory().published(result.device()).stream())
                .anyMatch(NodeDemand::isMapped);
        if (!isMapped) {
            return Optional.empty();
        }
        return state.podsOf(claim).stream()
                .filter(other -> !other.equals(pod.key()) && state.charges().isCharged(other))
                .findFirst()
                .map(other -> "claim %s is a part of what its node has for pods, and pod %s uses it already"
                        .formatted(claim, other));
    }

    private ResourceList demand(List<ObjectKey> claims) {
        var demand = new NodeDemand();
        for (ObjectKey claim : claims) {
            for (DeviceResult result : results(claim)) {
                Optional<Device> device = state.inventory().published(result.device());
                device.ifPresent(
                        each -> demand.add(each, result.consumedCapacity(), containers.getOrDefault(claim, 0)));
            }
        }
        return demand.amounts();
    }

    private List<DeviceResult> results(ObjectKey claim) {
        return state.claim(claim)
                .flatMap(each -> Assembly.allocation(state, each))
                .map(Allocation::results)
                .orElse(List.of());
    }

    /** How many containers use each claim, by any of its entries. */
    private static SortedMap<ObjectKey, Integer> containers(Pod pod) {
        var containers = new TreeMap<ObjectKey, Integer>();
        for (PodClaim entry : pod.resourceClaims()) {
            State.claimOf(pod, entry).ifPresent(claim -> containers.merge(claim, entry.containers(), Integer::sum));
        }
        return containers;
    }
}

package dev.claimstream.allocation.solver;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Node resources of a pod: the pod itself, its requests, and consumption of the devices of its allocated claims. */
public final class PodDemand {
    private final Pod pod;
    private final AllocationLookup lookup;
    private final SortedMap<ObjectKey, Integer> containers;

    /** Creates the demand of a pod. */
    public PodDemand(Pod pod, AllocationLookup surroundings) {
        this.pod = pod;
        this.lookup = surroundings;
        this.containers = containers(pod);
    }

    /** Cluster state that the demand depends on. */
    public interface AllocationLookup {
        /** Returns the decided or committed allocation of a claim; empty if it is pending. */
        Optional<Allocation> allocation(ObjectKey claim);

        /** A device as currently published. */
        Optional<Device> device(DeviceId device);

        /** Another pod that uses the claim and already consumes resources of a node. */
        Optional<ObjectKey> otherConsumer(ObjectKey claim, ObjectKey pod);
    }

    /** Demand of the allocated claims of a pod, before further allocations. */
    public sealed interface ExistingDemand {
        /**
         * The pod can account for its devices.
         *
         * @param deviceDemand consumption of the pod's devices in addition to its requests
         * @param accounting accounting for further devices
         */
        record AccountableDemand(ResourceList deviceDemand, Accounting accounting) implements ExistingDemand {}

        /** The pod cannot account for its devices. */
        record UnaccountableDemand(String message) implements ExistingDemand {}
    }

    /** Resources of the pod without devices; the pod itself counts as one of the pods of its node. */
    public static ResourceList ofPod(Pod pod) {
        return pod.requests().plus(ResourceList.onePod());
    }

    /** Consumption of the devices of all claims, in addition to the pod's requests. */
    public ResourceList ofDevices() {
        return Accounting.excess(pod.spare(), of(pod.claims()));
    }

    /** Pools whose slices determine the consumption. */
    public SortedSet<PoolId> pools() {
        var pools = new TreeSet<PoolId>();
        for (ObjectKey claim : pod.claims()) {
            results(claim).forEach(result -> pools.add(result.device().poolId()));
        }
        return pools;
    }

    /**
     * Checks whether the pod can account for further devices.
     *
     * @param requestedClaims claims to allocate, in the order of the problem
     * @param fixed allocated claims
     */
    public ExistingDemand existing(Collection<ObjectKey> requestedClaims, Collection<ObjectKey> fixed) {
        for (ObjectKey claim : fixed) {
            Optional<String> broken = mappedClaimConflict(claim);
            if (broken.isPresent()) {
                return new ExistingDemand.UnaccountableDemand(broken.get());
            }
        }
        List<Integer> uses = requestedClaims.stream()
                .map(claim -> containers.getOrDefault(claim, 0))
                .toList();
        var accounting = new Accounting(uses, pod.spare());
        ResourceList allocated = of(fixed);
        Optional<String> exceeded = accounting.overcommitted(allocated);
        return exceeded.isPresent()
                ? new ExistingDemand.UnaccountableDemand(exceeded.get())
                : new ExistingDemand.AccountableDemand(
                        Accounting.excess(pod.spare(), allocated), accounting.without(allocated));
    }

    /** Returns a message if devices of the claim map to node resources and another pod already uses the claim. */
    private Optional<String> mappedClaimConflict(ObjectKey claim) {
        boolean isMapped = results(claim).stream()
                .flatMap(result -> lookup.device(result.device()).stream())
                .anyMatch(NodeDemand::isMapped);
        return isMapped
                ? lookup.otherConsumer(claim, pod.key())
                        .map(other ->
                                "claim %s consumes node resources, and pod %s already uses it".formatted(claim, other))
                : Optional.empty();
    }

    private ResourceList of(Collection<ObjectKey> claims) {
        var demand = new NodeDemand();
        for (ObjectKey claim : claims) {
            for (DeviceResult result : results(claim)) {
                lookup.device(result.device())
                        .ifPresent(device ->
                                demand.add(device, result.consumedCapacity(), containers.getOrDefault(claim, 0)));
            }
        }
        return demand.amounts();
    }

    private List<DeviceResult> results(ObjectKey claim) {
        return lookup.allocation(claim).map(Allocation::results).orElse(List.of());
    }

    /** Number of containers that use each claim, summed over the claim's entries. */
    private static SortedMap<ObjectKey, Integer> containers(Pod pod) {
        var containers = new TreeMap<ObjectKey, Integer>();
        for (PodClaim entry : pod.resourceClaims()) {
            pod.claim(entry).ifPresent(claim -> containers.merge(claim, entry.containers(), Integer::sum));
        }
        return containers;
    }
}

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

/** What a pod takes of its node: itself, what it asks for, and what the devices take that its claims have been given. */
public final class PodDemand {
    private final Pod pod;
    private final Surroundings surroundings;
    private final SortedMap<ObjectKey, Integer> containers;

    /** The demand of a pod. */
    public PodDemand(Pod pod, Surroundings surroundings) {
        this.pod = pod;
        this.surroundings = surroundings;
        this.containers = containers(pod);
    }

    /** Where the pod stands. */
    public interface Surroundings {
        /** What a claim has been given. */
        Optional<Allocation> allocation(ObjectKey claim);

        /** A device as it is published now. */
        Optional<Device> published(DeviceId device);

        /** A pod that uses a claim and takes something of a node already, not this one. */
        Optional<ObjectKey> otherUser(ObjectKey claim, ObjectKey pod);
    }

    /** What stands for a pod before more is given to it. */
    public sealed interface Before {
        /**
         * It can be accounted for.
         *
         * @param taken by the devices that it has, beside what it asks for
         * @param accounting for the devices that it will have
         */
        record Accountable(ResourceList taken, Accounting accounting) implements Before {}

        /** It cannot, and why. */
        record Unaccountable(String message) implements Before {}
    }

    /** What a pod takes without looking at devices: itself is one of the pods of its node. */
    public static ResourceList ofPod(Pod pod) {
        return pod.requests().plus(ResourceList.onePod());
    }

    /** What is taken by the devices of its claims, beside what the pod itself asks for. */
    public ResourceList ofDevices() {
        return Accounting.beside(pod.spare(), of(pod.claims()));
    }

    /** The pools whose slices say what is taken. */
    public SortedSet<PoolId> pools() {
        var pools = new TreeSet<PoolId>();
        for (ObjectKey claim : pod.claims()) {
            results(claim).forEach(result -> pools.add(result.device().poolId()));
        }
        return pools;
    }

    /**
     * Whether more can be given to it.
     *
     * @param asked its claims that are to be decided, in the order in which they are
     * @param fixed its claims that have been given something
     */
    public Before before(Collection<ObjectKey> asked, Collection<ObjectKey> fixed) {
        for (ObjectKey claim : fixed) {
            Optional<String> broken = broken(claim);
            if (broken.isPresent()) {
                return new Before.Unaccountable(broken.get());
            }
        }
        List<Integer> uses =
                asked.stream().map(claim -> containers.getOrDefault(claim, 0)).toList();
        var accounting = new Accounting(uses, pod.spare());
        ResourceList taken = of(fixed);
        Optional<String> exceeded = accounting.exceeded(taken);
        return exceeded.isPresent()
                ? new Before.Unaccountable(exceeded.get())
                : new Before.Accountable(Accounting.beside(pod.spare(), taken), accounting.without(taken));
    }

    /** A claim whose devices are a part of the node itself is for one pod. */
    private Optional<String> broken(ObjectKey claim) {
        boolean isMapped = results(claim).stream()
                .flatMap(result -> surroundings.published(result.device()).stream())
                .anyMatch(NodeDemand::isMapped);
        return isMapped
                ? surroundings
                        .otherUser(claim, pod.key())
                        .map(other -> "claim %s is a part of what its node has for pods, and pod %s uses it already"
                                .formatted(claim, other))
                : Optional.empty();
    }

    private ResourceList of(Collection<ObjectKey> claims) {
        var demand = new NodeDemand();
        for (ObjectKey claim : claims) {
            for (DeviceResult result : results(claim)) {
                surroundings
                        .published(result.device())
                        .ifPresent(device ->
                                demand.add(device, result.consumedCapacity(), containers.getOrDefault(claim, 0)));
            }
        }
        return demand.amounts();
    }

    private List<DeviceResult> results(ObjectKey claim) {
        return surroundings.allocation(claim).map(Allocation::results).orElse(List.of());
    }

    /** How many containers use each claim, by any of its entries. */
    private static SortedMap<ObjectKey, Integer> containers(Pod pod) {
        var containers = new TreeMap<ObjectKey, Integer>();
        for (PodClaim entry : pod.resourceClaims()) {
            pod.claim(entry).ifPresent(claim -> containers.merge(claim, entry.containers(), Integer::sum));
        }
        return containers;
    }
}

package dev.claimstream.scenarios;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.solver.PodDemand;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The node resources that pods use in a static cluster.
 *
 * <p>Pods count if they are bound, or if all their claims are allocated on one node. Not thread-safe.
 */
final class PodNodeUsage implements PodDemand.AllocationLookup {
    private final DeviceInventory inventory;
    private final Map<ObjectKey, ResourceClaim> claims;
    private final boolean hasNodeAllocatable;
    private final Map<ObjectKey, PodUsage> usageByPod = new TreeMap<>();
    private final Map<ObjectKey, Set<ObjectKey>> users = new TreeMap<>();

    /**
     * Creates an empty set of pods.
     *
     * @param inventory counts the resource usage; complete with nodes and slices
     * @param claims complete with their allocations
     */
    PodNodeUsage(DeviceInventory inventory, Map<ObjectKey, ResourceClaim> claims, boolean devicesTakeOfNodes) {
        this.inventory = inventory;
        this.claims = claims;
        this.hasNodeAllocatable = devicesTakeOfNodes;
    }

    private record PodUsage(String node, ResourceList amounts) {}

    /** Adds a pod; it counts if its node is known. */
    void add(Pod pod) {
        Optional<String> node =
                pod.finished() ? Optional.empty() : pod.nodeName().or(() -> nodeOfClaims(pod));
        node.ifPresent(name -> {
            ResourceList ofPod = PodDemand.ofPod(pod);
            ResourceList all = hasNodeAllocatable ? ofPod.plus(new PodDemand(pod, this).ofDevices()) : ofPod;
            inventory.reserveNodeResources(name, all);
            usageByPod.put(pod.key(), new PodUsage(name, all));
            pod.claims()
                    .forEach(claim -> users.computeIfAbsent(claim, _ -> new LinkedHashSet<>())
                            .add(pod.key()));
        });
    }

    private Optional<String> nodeOfClaims(Pod pod) {
        List<Optional<Allocation>> allocations =
                pod.claims().stream().map(this::allocation).toList();
        return allocations.stream().allMatch(Optional::isPresent)
                ? allocations.stream()
                        .flatMap(Optional::stream)
                        .flatMap(each -> each.nodeSelector().stream())
                        .flatMap(each -> each.onlyNode().stream())
                        .findFirst()
                : Optional.empty();
    }

    /** Evaluates a question while the resource usage of a pod is not counted. */
    <T> T whileReleased(Pod pod, Supplier<T> query) {
        Optional<PodUsage> taken = Optional.ofNullable(usageByPod.get(pod.key()));
        taken.ifPresent(each -> inventory.releaseNodeResources(each.node, each.amounts));
        T answer = query.get();
        taken.ifPresent(each -> inventory.reserveNodeResources(each.node, each.amounts));
        return answer;
    }

    @Override
    public Optional<Allocation> allocation(ObjectKey claim) {
        return Optional.ofNullable(claims.get(claim)).flatMap(ResourceClaim::allocation);
    }

    @Override
    public Optional<Device> device(DeviceId device) {
        return inventory.slices().published(device);
    }

    @Override
    public Optional<ObjectKey> otherConsumer(ObjectKey claim, ObjectKey pod) {
        return users.getOrDefault(claim, Set.of()).stream()
                .filter(user -> !user.equals(pod))
                .findFirst();
    }
}

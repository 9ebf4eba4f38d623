package dev.claimstream.scenarios;

import dev.claimstream.allocation.inventory.Inventory;
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

/**
 * The pods that take something of their nodes in a cluster that stands still: those that are bound, and those that must go to one node
 * since all their claims are allocated.
 */
final class PodsOnNodes implements PodDemand.Surroundings {
    private final Inventory inventory;
    private final Map<ObjectKey, ResourceClaim> claims;
    private final boolean devicesTakeOfNodes;
    private final Set<ObjectKey> counted = new LinkedHashSet<>();
    private final Map<ObjectKey, Set<ObjectKey>> users = new TreeMap<>();

    /**
     * No pods yet.
     *
     * @param inventory where what pods take is counted, complete with nodes and slices
     * @param claims complete with their allocations
     */
    PodsOnNodes(Inventory inventory, Map<ObjectKey, ResourceClaim> claims, boolean devicesTakeOfNodes) {
        this.inventory = inventory;
        this.claims = claims;
        this.devicesTakeOfNodes = devicesTakeOfNodes;
    }

    /** A pod; it counts where it is on a node. */
    void add(Pod pod) {
        Optional<String> node =
                pod.finished() ? Optional.empty() : pod.nodeName().or(() -> nodeOfClaims(pod));
        node.ifPresent(name -> {
            ResourceList taken = PodDemand.ofPod(pod);
            inventory.take(name, devicesTakeOfNodes ? taken.plus(new PodDemand(pod, this).ofDevices()) : taken);
            counted.add(pod.key());
            pod.claims()
                    .forEach(claim -> users.computeIfAbsent(claim, _ -> new LinkedHashSet<>())
                            .add(pod.key()));
        });
    }

    private Optional<String> nodeOfClaims(Pod pod) {
        List<Optional<Allocation>> given =
                pod.claims().stream().map(this::allocation).toList();
        return given.stream().allMatch(Optional::isPresent)
                ? given.stream()
                        .flatMap(Optional::stream)
                        .flatMap(each -> each.nodeSelector().stream())
                        .flatMap(each -> each.onlyNode().stream())
                        .findFirst()
                : Optional.empty();
    }

    /** Whether a pod takes something of a node. */
    boolean isCounted(ObjectKey pod) {
        return counted.contains(pod);
    }

    @Override
    public Optional<Allocation> allocation(ObjectKey claim) {
        return Optional.ofNullable(claims.get(claim)).flatMap(ResourceClaim::allocation);
    }

    @Override
    public Optional<Device> published(DeviceId device) {
        return inventory.published(device);
    }

    @Override
    public Optional<ObjectKey> otherUser(ObjectKey claim, ObjectKey pod) {
        return users.getOrDefault(claim, Set.of()).stream()
                .filter(user -> !user.equals(pod))
                .findFirst();
    }
}

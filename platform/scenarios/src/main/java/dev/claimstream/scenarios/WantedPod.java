package dev.claimstream.scenarios;

import dev.claimstream.allocation.solver.PodDemand;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.ContainerResource;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.ExtendedResources;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A pod as kube-scheduler sees its claims on some nodes: its own, then the one that is made for its extended resources.
 *
 * @param requests what its node must have left for it: not what the claim is made for
 * @param made the claim for extended resources
 * @param unserved extended resources of it for which there is neither a class nor a device plugin
 */
public record WantedPod(Pod pod, ResourceList requests, Optional<ResourceClaim> made, List<String> unserved) {
    public WantedPod {
        unserved = List.copyOf(unserved);
    }

    /** The pod as each of some nodes makes it; one where all nodes agree. */
    static List<WantedPod> on(Pod pod, List<Node> nodes, List<ClusterObject> objects) {
        var resources = new ExtendedResources(objects.stream()
                .filter(DeviceClass.class::isInstance)
                .map(DeviceClass.class::cast)
                .toList());
        return nodes.stream().map(node -> on(pod, node, resources)).distinct().toList();
    }

    /** The pod as one node makes it. */
    static WantedPod on(Pod pod, Node node, ExtendedResources resources) {
        ResourceList requests = PodDemand.ofPod(pod)
                .without(each -> ExtendedResources.isExtended(each)
                        && !node.isOfferedByPlugin(each)
                        && resources.deviceClass(each).isPresent());
        return new WantedPod(pod, requests, resources.claim(pod, node), unserved(pod, node, resources));
    }

    private static List<String> unserved(Pod pod, Node node, ExtendedResources resources) {
        return pod.containerResources().stream()
                .map(ContainerResource::resource)
                .filter(each -> !node.isOfferedByPlugin(each)
                        && resources.deviceClass(each).isEmpty())
                .distinct()
                .sorted()
                .toList();
    }

    /** The claims in the order in which they are decided. */
    List<ObjectKey> claims() {
        List<ObjectKey> claims = new ArrayList<>(pod.claims());
        made.map(ResourceClaim::key).ifPresent(claims::add);
        return claims;
    }
}

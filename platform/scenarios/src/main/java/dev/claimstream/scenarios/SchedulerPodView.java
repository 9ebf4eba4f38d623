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
 * A pod with its claims as kube-scheduler sees them on some nodes. The claim for extended resources comes last.
 *
 * @param requests the resources that the node must have free, without those that the claim provides
 * @param extendedResourceClaim the claim for extended resources
 * @param unofferedResources the extended resources that neither a class nor a device plugin offers
 */
public record SchedulerPodView(
        Pod pod,
        ResourceList requests,
        Optional<ResourceClaim> extendedResourceClaim,
        List<String> unofferedResources) {
    public SchedulerPodView {
        unofferedResources = List.copyOf(unofferedResources);
    }

    /** Returns the distinct views of a pod on some nodes; one if all nodes agree. */
    static List<SchedulerPodView> of(Pod pod, List<Node> nodes, List<ClusterObject> objects) {
        var resources = new ExtendedResources(objects.stream()
                .filter(DeviceClass.class::isInstance)
                .map(DeviceClass.class::cast)
                .toList());
        return nodes.stream().map(node -> of(pod, node, resources)).distinct().toList();
    }

    static SchedulerPodView of(Pod pod, Node node, ExtendedResources resources) {
        ResourceList requests = PodDemand.ofPod(pod)
                .without(each -> ExtendedResources.isExtended(each)
                        && !node.isAdvertisedByDevicePlugin(each)
                        && resources.deviceClass(each).isPresent());
        return new SchedulerPodView(
                pod, requests, resources.claim(pod, node), unofferedResources(pod, node, resources));
    }

    private static List<String> unofferedResources(Pod pod, Node node, ExtendedResources resources) {
        return pod.containerResources().stream()
                .map(ContainerResource::resource)
                .filter(each -> !node.isAdvertisedByDevicePlugin(each)
                        && resources.deviceClass(each).isEmpty())
                .distinct()
                .sorted()
                .toList();
    }

    /** Returns the claims in the order of allocation. */
    List<ObjectKey> claims() {
        List<ObjectKey> claims = new ArrayList<>(pod.claims());
        extendedResourceClaim.map(ResourceClaim::key).ifPresent(claims::add);
        return claims;
    }
}

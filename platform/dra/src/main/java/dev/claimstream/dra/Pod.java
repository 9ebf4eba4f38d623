package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * A pod, as far as it decides where its claims may be.
 *
 * @param requiredAffinity {@code affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution}
 * @param containerResources what its containers ask for of extended resources
 * @param finished whether it no longer uses its claims: phase Succeeded or Failed, or deleted before it had a node
 */
public record Pod(
        ObjectMeta meta,
        Optional<String> nodeName,
        SortedMap<String, String> nodeSelector,
        Optional<NodeSelector> requiredAffinity,
        List<Toleration> tolerations,
        int priority,
        List<PodClaim> resourceClaims,
        List<ContainerResource> containerResources,
        boolean finished)
        implements ClusterObject {
    public Pod {
        nodeSelector = Copies.sorted(nodeSelector);
        tolerations = List.copyOf(tolerations);
        resourceClaims = List.copyOf(resourceClaims);
        containerResources = List.copyOf(containerResources);
    }

    /** A pod that asks for no extended resources. */
    public Pod(
            ObjectMeta meta,
            Optional<String> nodeName,
            SortedMap<String, String> nodeSelector,
            Optional<NodeSelector> requiredAffinity,
            List<Toleration> tolerations,
            int priority,
            List<PodClaim> resourceClaims,
            boolean finished) {
        this(
                meta,
                nodeName,
                nodeSelector,
                requiredAffinity,
                tolerations,
                priority,
                resourceClaims,
                List.of(),
                finished);
    }

    @Override
    public Kind kind() {
        return Kind.POD;
    }
}

package dev.claimstream.scenarios;

import dev.claimstream.dra.ObjectKey;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The claim that kube-scheduler creates for the extended resources of a pod.
 *
 * <p>It does not exist in the API server before the pod is bound, so that no other scheduler can allocate it.
 *
 * @param key the future key; the API server appends random letters to the name
 * @param resources the extended resources of the claim
 */
public record SchedulerClaim(ObjectKey pod, ObjectKey key, List<ExtendedResource> resources, Placement placement) {
    public SchedulerClaim {
        resources = List.copyOf(resources);
    }

    /**
     * An extended resource that a class offers.
     *
     * @param name as containers request it
     */
    public record ExtendedResource(String name, String deviceClass) {
        @Override
        public String toString() {
            return "%s of class %s".formatted(name, deviceClass);
        }
    }

    /** Whether the claim could be allocated in the current state of the cluster. */
    public sealed interface Placement {
        /** Describes the placement in a sentence. */
        String text();

        /**
         * The claim can be allocated.
         *
         * @param node one of the nodes that fit
         * @param nodes number of nodes that fit
         */
        record FittingNodes(String node, int nodes) implements Placement {
            @Override
            public String text() {
                return nodes == 1
                        ? "it would fit on " + node
                        : "it would fit on %d nodes, for example %s".formatted(nodes, node);
            }
        }

        /** The claim fits on no node. A device plugin of this node offers all resources, so that no claim is created there. */
        record DevicePluginNode(String node) implements Placement {
            @Override
            public String text() {
                return "on %s no claim is created: a device plugin offers the resource there".formatted(node);
            }
        }

        /** The claim cannot be allocated, with the reason. */
        record NoFittingNode(String reason) implements Placement {
            @Override
            public String text() {
                return "it would not fit: " + reason;
            }
        }
    }

    /** Returns whether the pod would find a node. */
    public boolean fits() {
        return !(placement instanceof Placement.NoFittingNode);
    }

    /** Describes the claim without its pod. */
    public String text() {
        return "kube-scheduler itself creates claim %s for %s, and Claimstream does not allocate it; %s"
                .formatted(
                        key,
                        resources.stream().map(ExtendedResource::toString).collect(Collectors.joining(", ")),
                        placement.text());
    }

    @Override
    public String toString() {
        return "pod %s: %s".formatted(pod, text());
    }
}

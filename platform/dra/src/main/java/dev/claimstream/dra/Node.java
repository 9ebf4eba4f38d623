package dev.claimstream.dra;

import java.util.List;

/**
 * A node.
 *
 * @param unschedulable whether the node is cordoned
 * @param ready false if the Ready condition is False or Unknown; true if the condition is absent
 * @param declaredFeatures feature gates that the kubelet declares
 * @param allocatable the resources for pods; empty if unknown
 */
public record Node(
        ObjectMeta meta,
        List<Taint> taints,
        boolean unschedulable,
        boolean ready,
        List<String> declaredFeatures,
        ResourceList allocatable)
        implements ClusterObject {
    public Node {
        taints = List.copyOf(taints);
        declaredFeatures = List.copyOf(declaredFeatures);
    }

    /** Creates a node with unknown allocatable resources. */
    public Node(
            ObjectMeta meta, List<Taint> taints, boolean unschedulable, boolean ready, List<String> declaredFeatures) {
        this(meta, taints, unschedulable, ready, declaredFeatures, ResourceList.none());
    }

    /** Creates a node without declared features. */
    public Node(ObjectMeta meta, List<Taint> taints, boolean unschedulable, boolean ready) {
        this(meta, taints, unschedulable, ready, List.of());
    }

    /** Returns whether a device plugin of the node advertises an extended resource. */
    public boolean isAdvertisedByDevicePlugin(String resource) {
        return allocatable.amount(resource) > 0;
    }

    @Override
    public Kind kind() {
        return Kind.NODE;
    }
}

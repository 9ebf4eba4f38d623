package dev.claimstream.dra;

import java.util.List;

/**
 * A node.
 *
 * @param unschedulable whether it is cordoned
 * @param ready false where its Ready condition is False or Unknown; a node without the condition counts as ready
 * @param declaredFeatures what its kubelet says that it can do, by names of feature gates
 * @param allocatable what pods can have of it; nothing where that is not said
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

    /** A node that does not say what pods can have of it. */
    public Node(
            ObjectMeta meta, List<Taint> taints, boolean unschedulable, boolean ready, List<String> declaredFeatures) {
        this(meta, taints, unschedulable, ready, declaredFeatures, ResourceList.none());
    }

    /** A node that declares no features. */
    public Node(ObjectMeta meta, List<Taint> taints, boolean unschedulable, boolean ready) {
        this(meta, taints, unschedulable, ready, List.of());
    }

    /** Whether a device plugin of the node offers an extended resource. */
    public boolean isOfferedByPlugin(String resource) {
        return allocatable.amount(resource) > 0;
    }

    @Override
    public Kind kind() {
        return Kind.NODE;
    }
}

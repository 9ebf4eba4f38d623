package dev.claimstream.dra;

import java.util.List;

/**
 * A node.
 *
 * @param unschedulable whether it is cordoned
 * @param ready false where its Ready condition is False or Unknown; a node without the condition counts as ready
 * @param declaredFeatures what its kubelet says that it can do, by names of feature gates
 * @param pluginResources extended resources that its device plugins offer: those with an allocatable amount
 */
public record Node(
        ObjectMeta meta,
        List<Taint> taints,
        boolean unschedulable,
        boolean ready,
        List<String> declaredFeatures,
        List<String> pluginResources)
        implements ClusterObject {
    public Node {
        taints = List.copyOf(taints);
        declaredFeatures = List.copyOf(declaredFeatures);
        pluginResources = List.copyOf(pluginResources);
    }

    /** A node without device plugins. */
    public Node(
            ObjectMeta meta, List<Taint> taints, boolean unschedulable, boolean ready, List<String> declaredFeatures) {
        this(meta, taints, unschedulable, ready, declaredFeatures, List.of());
    }

    /** A node that declares no features. */
    public Node(ObjectMeta meta, List<Taint> taints, boolean unschedulable, boolean ready) {
        this(meta, taints, unschedulable, ready, List.of());
    }

    @Override
    public Kind kind() {
        return Kind.NODE;
    }
}

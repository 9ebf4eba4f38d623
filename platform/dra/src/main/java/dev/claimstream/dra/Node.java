package dev.claimstream.dra;

import java.util.List;

/**
 * A node.
 *
 * @param unschedulable whether it is cordoned
 * @param ready false where its Ready condition is False or Unknown; a node without the condition counts as ready
 */
public record Node(ObjectMeta meta, List<Taint> taints, boolean unschedulable, boolean ready) implements ClusterObject {
    public Node {
        taints = List.copyOf(taints);
    }

    @Override
    public Kind kind() {
        return Kind.NODE;
    }
}

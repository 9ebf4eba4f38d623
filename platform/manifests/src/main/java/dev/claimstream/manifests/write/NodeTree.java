package dev.claimstream.manifests.write;

import dev.claimstream.dra.Node;
import dev.claimstream.manifests.tree.Tree;
import java.util.List;

/** Writes a node. */
final class NodeTree {
    private NodeTree() {}

    static Tree spec(Node node) {
        return Tree.mapping(fields -> fields.putList("taints", node.taints(), SharedTrees::taint)
                .putIfTrue("unschedulable", node.unschedulable()));
    }

    static Tree.Mapping status(Node node) {
        Tree ready = Tree.mapping(fields -> fields.put("type", "Ready").put("status", node.ready() ? "True" : "False"));
        return Tree.mapping(fields -> fields.put("conditions", new Tree.Sequence(List.of(ready)))
                .putList("declaredFeatures", node.declaredFeatures(), Tree::of)
                .putMap("allocatable", SharedTrees.amounts(node.allocatable()), Tree::of));
    }
}

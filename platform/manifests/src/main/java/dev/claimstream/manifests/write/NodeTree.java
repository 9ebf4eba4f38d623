package dev.claimstream.manifests.write;

import dev.claimstream.dra.Node;
import dev.claimstream.manifests.tree.Tree;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** A node. */
final class NodeTree {
    private NodeTree() {}

    static Tree spec(Node node) {
        return Tree.mapping(fields -> fields.putList("taints", node.taints(), SharedTrees::taint)
                .putIfTrue("unschedulable", node.unschedulable()));
    }

    /** How many there are is not known. */
    private static SortedMap<String, String> allocatable(Node node) {
        SortedMap<String, String> amounts = new TreeMap<>();
        node.pluginResources().forEach(each -> amounts.put(each, "1"));
        return amounts;
    }

    static Tree.Mapping status(Node node) {
        Tree ready = Tree.mapping(fields -> fields.put("type", "Ready").put("status", node.ready() ? "True" : "False"));
        return Tree.mapping(fields -> fields.put("conditions", new Tree.Sequence(List.of(ready)))
                .putList("declaredFeatures", node.declaredFeatures(), Tree::of)
                .putMap("allocatable", allocatable(node), Tree::of));
    }
}

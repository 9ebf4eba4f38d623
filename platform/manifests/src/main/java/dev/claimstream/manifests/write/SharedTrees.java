package dev.claimstream.manifests.write;

import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.OpaqueConfig;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.ResourceList;
import dev.claimstream.dra.Taint;
import dev.claimstream.dra.Toleration;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeFields;
import dev.claimstream.manifests.tree.TreeReader;
import java.util.SortedMap;
import java.util.TreeMap;

/** Writes parts that several kinds contain. */
final class SharedTrees {
    private SharedTrees() {}

    static Tree quantity(Quantity quantity) {
        return Tree.of(quantity.toString());
    }

    static Tree selector(String expression) {
        return Tree.mapping(outer -> {
            if (!expression.isEmpty()) { // the type of the selector is unknown
                outer.put("cel", Tree.mapping(cel -> cel.put("expression", expression)));
            }
        });
    }

    static Tree taint(Taint taint) {
        return Tree.mapping(fields -> fields.put("key", taint.key())
                .putUnlessEmpty("value", taint.value())
                .put("effect", taint.effect())
                .putIfPresent("timeAdded", taint.timeAdded(), MetadataTree::time));
    }

    static Tree toleration(Toleration toleration) {
        return Tree.mapping(fields -> fields.putUnlessEmpty("key", toleration.key())
                .putUnlessEmpty("operator", toleration.operator())
                .putUnlessEmpty("value", toleration.value())
                .putUnlessEmpty("effect", toleration.effect())
                .putIfPresent("tolerationSeconds", toleration.tolerationSeconds(), Tree::of));
    }

    /** Adds {@code opaque}; an object that was accepted without validation may have no parameters. */
    static void opaque(TreeFields fields, OpaqueConfig config) {
        fields.put("opaque", Tree.mapping(opaque -> {
            opaque.put("driver", config.driver());
            if (!config.parameters().isEmpty()) {
                opaque.put("parameters", TreeReader.json(config.parameters()));
            }
        }));
    }

    static Tree nodeSelector(NodeSelector selector) {
        return Tree.mapping(fields -> fields.put(
                "nodeSelectorTerms",
                new Tree.Sequence(
                        selector.terms().stream().map(SharedTrees::term).toList())));
    }

    private static Tree term(NodeSelector.Term term) {
        return Tree.mapping(
                fields -> fields.putList("matchExpressions", term.matchExpressions(), SharedTrees::requirement)
                        .putList("matchFields", term.matchFields(), SharedTrees::requirement));
    }

    static Tree requirement(NodeSelector.Requirement requirement) {
        return Tree.mapping(fields -> fields.put("key", requirement.key())
                .put("operator", requirement.operator())
                .putList("values", requirement.values(), Tree::of));
    }

    static SortedMap<String, String> amounts(ResourceList list) {
        SortedMap<String, String> amounts = new TreeMap<>();
        list.amounts()
                .forEach((resource, units) -> amounts.put(
                        resource, ResourceList.quantity(resource, units).toString()));
        return amounts;
    }
}

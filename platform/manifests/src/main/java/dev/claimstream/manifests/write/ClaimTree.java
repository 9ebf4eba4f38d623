package dev.claimstream.manifests.write;

import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.ClaimConfig;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.DerivedAttribute;
import dev.claimstream.dra.DeviceConstraint;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeFields;

/** Writes the spec of a claim or template. */
final class ClaimTree {
    private ClaimTree() {}

    static Tree of(ResourceClaimTemplate template) {
        Tree.Mapping metadata = Tree.mapping(fields -> fields.putMap("labels", template.claimLabels(), Tree::of)
                .putMap("annotations", template.claimAnnotations(), Tree::of));
        return Tree.mapping(fields -> {
            if (!metadata.fields().isEmpty()) {
                fields.put("metadata", metadata);
            }
            fields.put("spec", of(template.spec()));
        });
    }

    static Tree of(ClaimSpec spec) {
        Tree devices = Tree.mapping(fields -> fields.putList("requests", spec.requests(), ClaimTree::request)
                .putList("constraints", spec.constraints(), ClaimTree::constraint)
                .putList("config", spec.config(), ClaimTree::config));
        return Tree.mapping(fields -> fields.put("devices", devices));
    }

    private static Tree request(DeviceRequest request) {
        return Tree.mapping(fields -> {
            fields.put("name", request.name());
            switch (request) {
                case DeviceRequest.Exactly exactly -> fields.put("exactly", exactly(exactly));
                case DeviceRequest.FirstAvailable first ->
                    fields.putList("firstAvailable", first.alternatives(), ClaimTree::alternative);
                case DeviceRequest.UnknownRequest _ -> {}
            }
        });
    }

    private static Tree exactly(DeviceRequest.Exactly request) {
        return Tree.mapping(fields -> {
            spec(fields, request.spec());
            fields.putIfPresent("adminAccess", request.adminAccess(), Tree::of);
        });
    }

    private static Tree alternative(DeviceRequest.Alternative alternative) {
        return Tree.mapping(fields -> {
            fields.put("name", alternative.name());
            spec(fields, alternative.spec());
        });
    }

    private static void spec(TreeFields fields, RequestSpec spec) {
        fields.put("allocationMode", spec.allocationMode().name())
                .put("deviceClassName", spec.deviceClassName())
                .putList("selectors", spec.selectors(), SharedTrees::selector)
                .putList("tolerations", spec.tolerations(), SharedTrees::toleration);
        if (spec.count() != 0 && !spec.allocationMode().equals(AllocationMode.ALL)) {
            fields.put("count", spec.count());
        }
        if (!spec.capacity().isEmpty()) {
            fields.put(
                    "capacity",
                    Tree.mapping(inner -> inner.putMap("requests", spec.capacity(), SharedTrees::quantity)));
        }
        fields.putList("derivedAttributes", spec.derivedAttributes(), ClaimTree::derived);
    }

    private static Tree derived(DerivedAttribute attribute) {
        return Tree.mapping(fields -> fields.put("name", attribute.name()).put("expression", attribute.expression()));
    }

    private static Tree constraint(DeviceConstraint constraint) {
        return Tree.mapping(fields -> {
            fields.putList("requests", constraint.requests(), Tree::of);
            switch (constraint) {
                case DeviceConstraint.MatchAttribute match -> fields.put("matchAttribute", match.attribute());
                case DeviceConstraint.DistinctAttribute distinct ->
                    fields.put("distinctAttribute", distinct.attribute());
                case DeviceConstraint.UnknownConstraint _ -> {}
            }
        });
    }

    private static Tree config(ClaimConfig config) {
        return Tree.mapping(fields -> {
            fields.putList("requests", config.requests(), Tree::of);
            SharedTrees.opaque(fields, config.opaque());
        });
    }
}

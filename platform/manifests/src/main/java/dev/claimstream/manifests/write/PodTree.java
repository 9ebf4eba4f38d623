package dev.claimstream.manifests.write;

import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodClaim.Source;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeFields;
import java.util.List;

/** A pod without its containers, and a group of pods. */
final class PodTree {
    private PodTree() {}

    static Tree spec(Pod pod) {
        return Tree.mapping(fields -> {
            fields.putIfPresent("nodeName", pod.nodeName(), Tree::of)
                    .putMap("nodeSelector", pod.nodeSelector(), Tree::of)
                    .putIfPresent("affinity", pod.requiredAffinity(), PodTree::affinity)
                    .putList("tolerations", pod.tolerations(), SharedTrees::toleration)
                    .putList("resourceClaims", pod.resourceClaims(), PodTree::claim);
            if (!pod.requests().isNone()) {
                fields.put(
                        "resources",
                        Tree.mapping(resources ->
                                resources.putMap("requests", SharedTrees.amounts(pod.requests()), Tree::of)));
            }
            pod.podGroup()
                    .ifPresent(group ->
                            fields.put("schedulingGroup", Tree.mapping(name -> name.put("podGroupName", group))));
            fields.putList(
                    "schedulingGates", pod.schedulingGates(), gate -> Tree.mapping(name -> name.put("name", gate)));
            if (pod.priority() != 0) {
                fields.put("priority", pod.priority());
            }
        });
    }

    private static Tree affinity(NodeSelector selector) {
        Tree node = Tree.mapping(fields ->
                fields.put("requiredDuringSchedulingIgnoredDuringExecution", SharedTrees.nodeSelector(selector)));
        return Tree.mapping(fields -> fields.put("nodeAffinity", node));
    }

    private static Tree claim(PodClaim claim) {
        return Tree.mapping(fields -> {
            fields.put("name", claim.name());
            switch (claim.source()) {
                case Source.Named(String name) -> fields.put("resourceClaimName", name);
                case Source.FromTemplate(String template) -> template(fields, template);
                case Source.Made(String template, String _) -> template(fields, template);
                case Source.NotNeeded(String template) -> template(fields, template);
            }
        });
    }

    private static void template(TreeFields fields, String template) {
        fields.put("resourceClaimTemplateName", template);
    }

    static Tree.Mapping status(Pod pod) {
        boolean ended =
                pod.finished() && !(pod.meta().deleting() && pod.nodeName().isEmpty());
        return Tree.mapping(fields -> fields.putUnlessEmpty("phase", ended ? "Succeeded" : "")
                .putList("resourceClaimStatuses", answered(pod.resourceClaims()), PodTree::answer));
    }

    static Tree spec(PodGroup group) {
        return Tree.mapping(fields -> fields.putList("resourceClaims", group.resourceClaims(), PodTree::claim));
    }

    static Tree.Mapping status(PodGroup group) {
        return Tree.mapping(
                fields -> fields.putList("resourceClaimStatuses", answered(group.resourceClaims()), PodTree::answer));
    }

    private static List<PodClaim> answered(List<PodClaim> claims) {
        return claims.stream()
                .filter(claim -> claim.source() instanceof Source.Made || claim.source() instanceof Source.NotNeeded)
                .toList();
    }

    private static Tree answer(PodClaim claim) {
        return Tree.mapping(fields -> {
            fields.put("name", claim.name());
            if (claim.source() instanceof Source.Made(String _, String made)) {
                fields.put("resourceClaimName", made);
            }
        });
    }
}

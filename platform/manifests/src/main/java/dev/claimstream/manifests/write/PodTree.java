package dev.claimstream.manifests.write;

import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodClaim.Source;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeFields;
import java.util.List;

/** A pod without its containers, of which little is known. */
final class PodTree {
    private PodTree() {}

    static Tree spec(Pod pod) {
        return Tree.mapping(fields -> {
            fields.putIfPresent("nodeName", pod.nodeName(), Tree::of)
                    .putMap("nodeSelector", pod.nodeSelector(), Tree::of)
                    .putIfPresent("affinity", pod.requiredAffinity(), PodTree::affinity)
                    .putList("tolerations", pod.tolerations(), SharedTrees::toleration)
                    .putList("resourceClaims", pod.resourceClaims(), PodTree::claim);
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
        List<PodClaim> answered = pod.resourceClaims().stream()
                .filter(claim -> claim.source() instanceof Source.Made || claim.source() instanceof Source.NotNeeded)
                .toList();
        return Tree.mapping(fields -> fields.putUnlessEmpty("phase", ended ? "Succeeded" : "")
                .putList("resourceClaimStatuses", answered, PodTree::answer));
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

package dev.claimstream.manifests.write;

import dev.claimstream.dra.HostPort;
import dev.claimstream.dra.LabelSelector;
import dev.claimstream.dra.PodAffinityTerm;
import dev.claimstream.dra.TopologySpreadConstraint;
import dev.claimstream.manifests.tree.Tree;
import java.util.List;

/** Writes the fields by which other pods restrict the node of a pod. */
final class TopologyTrees {
    static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

    private TopologyTrees() {}

    static Tree terms(List<PodAffinityTerm> terms) {
        return Tree.mapping(fields -> fields.putList(REQUIRED, terms, TopologyTrees::term));
    }

    private static Tree term(PodAffinityTerm term) {
        return Tree.mapping(fields -> fields.put("topologyKey", term.topologyKey())
                .putIfPresent("labelSelector", term.selector(), TopologyTrees::selector)
                .putList("namespaces", List.copyOf(term.namespaces()), Tree::of)
                .putIfPresent("namespaceSelector", term.namespaceSelector(), TopologyTrees::selector));
    }

    static Tree spread(TopologySpreadConstraint constraint) {
        return Tree.mapping(fields -> fields.put("topologyKey", constraint.topologyKey())
                .put("maxSkew", constraint.maxSkew())
                .put("minDomains", constraint.minDomains())
                .put("whenUnsatisfiable", "DoNotSchedule")
                .putIfPresent("labelSelector", constraint.selector(), TopologyTrees::selector)
                .put("nodeAffinityPolicy", policy(constraint.honorsNodeAffinity()))
                .put("nodeTaintsPolicy", policy(constraint.honorsNodeTaints())));
    }

    private static String policy(boolean isHonored) {
        return isHonored ? "Honor" : "Ignore";
    }

    private static Tree selector(LabelSelector selector) {
        return Tree.mapping(
                fields -> fields.putList("matchExpressions", selector.requirements(), SharedTrees::requirement));
    }

    static Tree port(HostPort port) {
        return Tree.mapping(fields -> fields.put("hostIP", port.address())
                .put("protocol", port.protocol())
                .put("containerPort", port.port())
                .put("hostPort", port.port()));
    }

    /** Returns a placeholder preference; the domain model only records that the pod has one. */
    static Tree preference() {
        return Tree.mapping(fields -> fields.put("weight", 1).put("preference", Tree.mapping(_ -> {})));
    }

    /** Returns a volume with a placeholder claim; the domain model does not record the claim of a volume. */
    static Tree volume(String name) {
        return Tree.mapping(fields -> fields.put("name", name)
                .put("persistentVolumeClaim", Tree.mapping(claim -> claim.put("claimName", name))));
    }
}

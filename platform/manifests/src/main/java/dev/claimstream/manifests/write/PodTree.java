package dev.claimstream.manifests.write;

import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodClaim.Source;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.ResourceList;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeFields;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** A pod with as many containers as it takes to say what is known of them, and a group of pods. */
final class PodTree {
    private PodTree() {}

    static Tree spec(Pod pod) {
        return Tree.mapping(fields -> {
            fields.putIfPresent("nodeName", pod.nodeName(), Tree::of)
                    .putMap("nodeSelector", pod.nodeSelector(), Tree::of)
                    .putIfPresent("affinity", pod.requiredAffinity(), PodTree::affinity)
                    .putList("tolerations", pod.tolerations(), SharedTrees::toleration)
                    .putList("resourceClaims", pod.resourceClaims(), PodTree::claim);
            ResourceList ofContainers = ofContainers(pod);
            fields.putList("containers", containers(pod, ofContainers), each -> each);
            ResourceList whole = whole(pod);
            if (!whole.isNone()) {
                fields.put("resources", requests(whole));
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

    /** Overhead is not known on its own; it counts as what the containers ask for. */
    private static ResourceList ofContainers(Pod pod) {
        SortedMap<String, Long> amounts = new TreeMap<>();
        pod.requests().amounts().forEach((resource, amount) -> {
            if (ResourceList.isForPods(resource)) {
                amounts.put(resource, amount - pod.spare().getOrDefault(resource, 0L));
            }
        });
        return new ResourceList(amounts);
    }

    private static ResourceList whole(Pod pod) {
        SortedMap<String, Long> amounts = new TreeMap<>(pod.requests().amounts());
        amounts.keySet()
                .removeIf(resource ->
                        ResourceList.isForPods(resource) && !pod.spare().containsKey(resource));
        return new ResourceList(amounts);
    }

    private static Tree requests(ResourceList amounts) {
        return Tree.mapping(resources -> resources.putMap("requests", SharedTrees.amounts(amounts), Tree::of));
    }

    /** The first one asks for everything, and as many as need it name a claim. */
    private static List<Tree> containers(Pod pod, ResourceList asked) {
        int count = Math.max(
                asked.isNone() ? 0 : 1,
                pod.resourceClaims().stream()
                        .mapToInt(PodClaim::containers)
                        .max()
                        .orElse(0));
        return IntStream.range(0, count)
                .mapToObj(i -> container(
                        i,
                        i == 0 ? asked : ResourceList.none(),
                        pod.resourceClaims().stream()
                                .filter(claim -> claim.containers() > i)
                                .map(PodClaim::name)
                                .toList()))
                .toList();
    }

    private static Tree container(int number, ResourceList asked, List<String> claims) {
        Tree resources = Tree.mapping(fields -> fields.putMap("requests", SharedTrees.amounts(asked), Tree::of)
                .putList("claims", claims, claim -> Tree.mapping(name -> name.put("name", claim))));
        return Tree.mapping(fields -> fields.put("name", "container-" + number).put("resources", resources));
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

package dev.claimstream.manifests.write;

import dev.claimstream.dra.HostPort;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodClaim.ClaimSource;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.PodTopology;
import dev.claimstream.dra.ResourceList;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeFields;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Writes a pod, with as many containers as are needed to express its data, or a pod group. */
final class PodTree {
    private PodTree() {}

    static Tree spec(Pod pod) {
        return Tree.mapping(fields -> {
            fields.putIfPresent("nodeName", pod.nodeName(), Tree::of)
                    .putMap("nodeSelector", pod.nodeSelector(), Tree::of)
                    .putIfPresent("affinity", affinity(pod), each -> each)
                    .putList("tolerations", pod.tolerations(), SharedTrees::toleration)
                    .putList("resourceClaims", pod.resourceClaims(), PodTree::claim);
            ResourceList ofContainers = ofContainers(pod);
            fields.putList("containers", containers(pod, ofContainers), each -> each)
                    .putList("topologySpreadConstraints", pod.topology().spread(), TopologyTrees::spread)
                    .putList(
                            "volumes",
                            pod.topology().usesVolumes() ? List.of("volume-0") : List.of(),
                            TopologyTrees::volume);
            fields.putIfPresent("schedulerName", pod.topology().schedulerName(), Tree::of);
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
            if (!pod.preempts()) {
                fields.put("preemptionPolicy", "Never");
            }
        });
    }

    /** Returns the requests to write at the containers. The overhead is not known separately and is included. */
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

    /** Returns the containers: the first one requests all resources, and each claim is used by as many containers as it has users. */
    private static List<Tree> containers(Pod pod, ResourceList requests) {
        List<HostPort> ports = pod.topology().hostPorts();
        int count = Math.max(
                requests.isNone() && ports.isEmpty() ? 0 : 1,
                pod.resourceClaims().stream()
                        .mapToInt(PodClaim::containers)
                        .max()
                        .orElse(0));
        return IntStream.range(0, count)
                .mapToObj(i -> container(
                        i,
                        i == 0 ? requests : ResourceList.none(),
                        i == 0 ? ports : List.of(),
                        pod.resourceClaims().stream()
                                .filter(claim -> claim.containers() > i)
                                .map(PodClaim::name)
                                .toList()))
                .toList();
    }

    private static Tree container(int number, ResourceList requests, List<HostPort> ports, List<String> claims) {
        Tree resources = Tree.mapping(fields -> fields.putMap("requests", SharedTrees.amounts(requests), Tree::of)
                .putList("claims", claims, claim -> Tree.mapping(name -> name.put("name", claim))));
        return Tree.mapping(fields -> fields.put("name", "container-" + number)
                .put("resources", resources)
                .putList("ports", ports, TopologyTrees::port));
    }

    private static Optional<Tree> affinity(Pod pod) {
        PodTopology topology = pod.topology();
        if (pod.requiredAffinity().isEmpty()
                && !topology.hasPreferences()
                && topology.affinity().isEmpty()
                && topology.antiAffinity().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(Tree.mapping(fields -> {
            if (pod.requiredAffinity().isPresent() || topology.hasPreferences()) {
                fields.put("nodeAffinity", nodeAffinity(pod));
            }
            if (!topology.affinity().isEmpty()) {
                fields.put("podAffinity", TopologyTrees.terms(topology.affinity()));
            }
            if (!topology.antiAffinity().isEmpty()) {
                fields.put("podAntiAffinity", TopologyTrees.terms(topology.antiAffinity()));
            }
        }));
    }

    private static Tree nodeAffinity(Pod pod) {
        List<Tree> preferences = pod.topology().hasPreferences() ? List.of(TopologyTrees.preference()) : List.of();
        return Tree.mapping(
                fields -> fields.putIfPresent(TopologyTrees.REQUIRED, pod.requiredAffinity(), SharedTrees::nodeSelector)
                        .putList(TopologyTrees.PREFERRED, preferences, each -> each));
    }

    private static Tree claim(PodClaim claim) {
        return Tree.mapping(fields -> {
            fields.put("name", claim.name());
            switch (claim.source()) {
                case ClaimSource.ClaimReference(String name) -> fields.put("resourceClaimName", name);
                case ClaimSource.TemplateReference(String template) -> template(fields, template);
                case ClaimSource.GeneratedClaim(String template, String _) -> template(fields, template);
                case ClaimSource.NoClaimNeeded(String template) -> template(fields, template);
            }
        });
    }

    private static void template(TreeFields fields, String template) {
        fields.put("resourceClaimTemplateName", template);
    }

    static Tree.Mapping status(Pod pod) {
        boolean ended =
                pod.finished() && !(pod.meta().deleting() && pod.nodeName().isEmpty());
        return Tree.mapping(
                fields -> fields.putUnlessEmpty("phase", pod.phase().isEmpty() && ended ? "Succeeded" : pod.phase())
                        .putList("resourceClaimStatuses", answered(pod.resourceClaims()), PodTree::answer));
    }

    static Tree spec(PodGroup group) {
        return Tree.mapping(fields -> {
            if (group.minCount() > 0) {
                fields.put(
                        "schedulingPolicy",
                        Tree.mapping(policy ->
                                policy.put("gang", Tree.mapping(gang -> gang.put("minCount", group.minCount())))));
            }
            fields.putList("resourceClaims", group.resourceClaims(), PodTree::claim);
        });
    }

    static Tree.Mapping status(PodGroup group) {
        return Tree.mapping(
                fields -> fields.putList("resourceClaimStatuses", answered(group.resourceClaims()), PodTree::answer));
    }

    private static List<PodClaim> answered(List<PodClaim> claims) {
        return claims.stream()
                .filter(claim -> claim.source() instanceof ClaimSource.GeneratedClaim
                        || claim.source() instanceof ClaimSource.NoClaimNeeded)
                .toList();
    }

    private static Tree answer(PodClaim claim) {
        return Tree.mapping(fields -> {
            fields.put("name", claim.name());
            if (claim.source() instanceof ClaimSource.GeneratedClaim(String _, String made)) {
                fields.put("resourceClaimName", made);
            }
        });
    }
}

package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;

/**
 * A group of pods that may share claims, and may have to start together ({@code scheduling.k8s.io/v1beta1 PodGroup}).
 *
 * @param minCount how many of its pods start together or not at all, {@code spec.schedulingPolicy.gang.minCount}; below 2 each is for itself
 * @param resourceClaims {@code spec.resourceClaims}, with what {@code status.resourceClaimStatuses} says of them
 */
public record PodGroup(ObjectMeta meta, int minCount, List<PodClaim> resourceClaims) implements ClusterObject {
    public PodGroup {
        resourceClaims = List.copyOf(resourceClaims);
    }

    /** A group in which each pod is for itself. */
    public PodGroup(ObjectMeta meta, List<PodClaim> resourceClaims) {
        this(meta, 0, resourceClaims);
    }

    /** The same with other claims. */
    public PodGroup with(List<PodClaim> claims) {
        return new PodGroup(meta, minCount, claims);
    }

    /** The claims that it names and that are made, each once. */
    public List<ObjectKey> claims() {
        return resourceClaims.stream()
                .flatMap(each -> each.claim().stream())
                .map(name -> new ObjectKey(meta.namespace(), name))
                .distinct()
                .toList();
    }

    /**
     * What stands in the group for a claim of one of its pods, if the group shares it: both have one name, and name the same claim or the
     * same template.
     */
    public Optional<PodClaim> shared(PodClaim claim) {
        return resourceClaims.stream()
                .filter(each -> each.isSameReference(claim))
                .findFirst();
    }

    @Override
    public Kind kind() {
        return Kind.POD_GROUP;
    }
}

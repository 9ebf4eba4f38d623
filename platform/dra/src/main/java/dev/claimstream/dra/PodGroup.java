package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;

/**
 * A group of pods that may share claims and may start together ({@code scheduling.k8s.io/v1beta1 PodGroup}).
 *
 * @param minCount the gang size, {@code spec.schedulingPolicy.gang.minCount}; below 2 the pods are independent
 * @param resourceClaims {@code spec.resourceClaims}, resolved with {@code status.resourceClaimStatuses}
 */
public record PodGroup(ObjectMeta meta, int minCount, List<PodClaim> resourceClaims) implements ClusterObject {
    public PodGroup {
        resourceClaims = List.copyOf(resourceClaims);
    }

    /** Creates a group of independent pods. */
    public PodGroup(ObjectMeta meta, List<PodClaim> resourceClaims) {
        this(meta, 0, resourceClaims);
    }

    /** Returns a copy with these claims. */
    public PodGroup withClaims(List<PodClaim> claims) {
        return new PodGroup(meta, minCount, claims);
    }

    /** Returns the keys of its existing claims, without duplicates. */
    public List<ObjectKey> claims() {
        return resourceClaims.stream()
                .flatMap(each -> each.claim().stream())
                .map(name -> new ObjectKey(meta.namespace(), name))
                .distinct()
                .toList();
    }

    /** Returns the group's entry with the same name, and the same claim or template, as a pod's entry. */
    public Optional<PodClaim> groupClaim(PodClaim claim) {
        return resourceClaims.stream()
                .filter(each -> each.isSameReference(claim))
                .findFirst();
    }

    @Override
    public Kind kind() {
        return Kind.POD_GROUP;
    }
}

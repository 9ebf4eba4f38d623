package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;

/**
 * A group of pods that may share claims ({@code scheduling.k8s.io/v1beta1 PodGroup}).
 *
 * @param resourceClaims {@code spec.resourceClaims}, with what {@code status.resourceClaimStatuses} says of them
 */
public record PodGroup(ObjectMeta meta, List<PodClaim> resourceClaims) implements ClusterObject {
    public PodGroup {
        resourceClaims = List.copyOf(resourceClaims);
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

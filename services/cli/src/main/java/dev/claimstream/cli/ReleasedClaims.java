package dev.claimstream.cli;

import dev.claimstream.dra.Consumer;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.Manifest;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Names the claims whose allocation in the manifests does not count any more. */
final class ReleasedClaims {
    private ReleasedClaims() {}

    /**
     * Returns a line for each claim that was released.
     *
     * @param written the manifests as they were read
     * @param completed the same as a cluster would hold them
     */
    static List<String> notes(List<Manifest> written, List<Manifest> completed) {
        Set<ObjectKey> allocated = completed.stream()
                .map(Manifest::object)
                .filter(ResourceClaim.class::isInstance)
                .map(ResourceClaim.class::cast)
                .filter(claim -> claim.allocation().isPresent())
                .map(ResourceClaim::key)
                .collect(Collectors.toSet());
        return written.stream()
                .map(Manifest::object)
                .filter(ResourceClaim.class::isInstance)
                .map(ResourceClaim.class::cast)
                .filter(claim -> claim.allocation().isPresent() && !allocated.contains(key(claim)))
                .map(ReleasedClaims::note)
                .toList();
    }

    private static ObjectKey key(ResourceClaim claim) {
        String namespace = claim.meta().namespace();
        return new ObjectKey(
                namespace.isEmpty() ? ClusterCompletion.DEFAULT_NAMESPACE : namespace,
                claim.meta().name());
    }

    private static String note(ResourceClaim claim) {
        ObjectKey key = key(claim);
        if (claim.reservedFor().isEmpty()) {
            return "claim %s is released: it is being deleted, and no pod uses it".formatted(key);
        }
        String consumers = claim.reservedFor().stream()
                .map(Consumer::name)
                .map(name -> new ObjectKey(key.namespace(), name).toString())
                .collect(Collectors.joining(", "));
        return "claim %s is released: what it is reserved for has ended (%s)".formatted(key, consumers);
    }
}

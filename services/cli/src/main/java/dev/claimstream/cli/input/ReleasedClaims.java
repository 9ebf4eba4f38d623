package dev.claimstream.cli.input;

import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.SourceLocation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Lists claims of the manifests that are released or left out on completion.
 * The consumers of such a claim have ended, or the claim is being deleted and has no consumer.
 */
final class ReleasedClaims {
    private ReleasedClaims() {}

    /**
     * Returns one line for each released claim.
     *
     * @param written the manifests as they were read
     * @param completed the same manifests after completion
     */
    static List<String> notes(List<Manifest> written, List<Manifest> completed) {
        Map<SourceLocation, ResourceClaim> claims = new HashMap<>();
        completed.forEach(manifest -> claim(manifest).ifPresent(claim -> claims.put(manifest.location(), claim)));
        return written.stream()
                .flatMap(manifest -> claim(manifest)
                        .filter(claim -> claim.allocation().isPresent())
                        .flatMap(claim -> note(manifest, claim, Optional.ofNullable(claims.get(manifest.location()))))
                        .stream())
                .toList();
    }

    private static Optional<ResourceClaim> claim(Manifest manifest) {
        return manifest.object() instanceof ResourceClaim claim ? Optional.of(claim) : Optional.empty();
    }

    /** Returns the line for a claim. Claims are matched by their place in the file, because completion may generate the name. */
    private static Optional<String> note(Manifest manifest, ResourceClaim claim, Optional<ResourceClaim> completed) {
        if (completed.flatMap(ResourceClaim::allocation).isPresent()) {
            return Optional.empty();
        }
        String namespace = claim.meta().namespace();
        ObjectKey key = completed
                .map(ResourceClaim::key)
                .orElseGet(() -> new ObjectKey(
                        namespace.isEmpty() ? ClusterCompletion.DEFAULT_NAMESPACE : namespace,
                        manifest.generateName().orElse(claim.meta().name())));
        return Optional.of(
                completed.isEmpty() && claim.reservedFor().isEmpty() ? leftOut(key, claim) : released(key, claim));
    }

    private static String leftOut(ObjectKey key, ResourceClaim claim) {
        return "claim %s is skipped: the pod that it was created for has finished%s"
                .formatted(
                        key,
                        claim.meta()
                                .controller()
                                .map(owner -> " (%s)".formatted(new ObjectKey(key.namespace(), owner.name())))
                                .orElse(""));
    }

    private static String released(ObjectKey key, ResourceClaim claim) {
        if (claim.reservedFor().isEmpty()) {
            return "claim %s is released: it is being deleted, and no pod uses it".formatted(key);
        }
        String consumers = claim.reservedFor().stream()
                .map(ClaimConsumer::name)
                .map(name -> new ObjectKey(key.namespace(), name).toString())
                .collect(Collectors.joining(", "));
        return "claim %s is released: its consumers have finished (%s)".formatted(key, consumers);
    }
}

package dev.claimstream.cli.input;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.ManifestFinding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Warns of pods that refer to missing claims. Such a pod is pending, and the claim table has no line for it. */
final class MissingClaims {
    private final Set<ObjectKey> claims;

    private MissingClaims(Set<ObjectKey> claims) {
        this.claims = claims;
    }

    /**
     * Returns one warning for each missing claim or template.
     *
     * @param completed all objects, with the claims generated from templates
     */
    static List<ManifestFinding> warnings(List<Manifest> completed) {
        var missing = new MissingClaims(completed.stream()
                .filter(each -> each.object().kind() == Kind.RESOURCE_CLAIM)
                .map(each -> each.object().key())
                .collect(Collectors.toSet()));
        return completed.stream().flatMap(each -> missing.of(each).stream()).toList();
    }

    private List<ManifestFinding> of(Manifest manifest) {
        List<ManifestFinding> findings = new ArrayList<>();
        if (manifest.object() instanceof Pod pod && !pod.finished()) {
            for (int i = 0; i < pod.resourceClaims().size(); i++) {
                String field = "spec.resourceClaims[" + i + "]";
                PodClaim claim = pod.resourceClaims().get(i);
                missingObject(pod, claim.source())
                        .ifPresent(what -> findings.add(new ManifestFinding(
                                ManifestFinding.Severity.WARNING,
                                manifest.locationOf(field),
                                field,
                                claim.name(),
                                "there is no %s, so pod %s is pending".formatted(what, pod.key()),
                                "correct the name, or add the object")));
            }
        }
        return findings;
    }

    private Optional<String> missingObject(Pod pod, PodClaim.ClaimSource source) {
        return switch (source) {
            case PodClaim.ClaimSource.ClaimReference(String claim) -> claim(pod, claim);
            case PodClaim.ClaimSource.GeneratedClaim(String template, String claim) -> claim(pod, claim);
            case PodClaim.ClaimSource.TemplateReference(String template) ->
                Optional.of("ResourceClaimTemplate " + new ObjectKey(pod.meta().namespace(), template));
            case PodClaim.ClaimSource.NoClaimNeeded(String template) -> Optional.empty();
        };
    }

    private Optional<String> claim(Pod pod, String name) {
        var key = new ObjectKey(pod.meta().namespace(), name);
        return claims.contains(key) ? Optional.empty() : Optional.of("ResourceClaim " + key);
    }
}

package dev.claimstream.cli.input;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.ManifestFinding;
import dev.claimstream.manifests.SourceLocation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Collectors;

/** Warns of pods that refer to missing claims. Such a pod is pending, and the claim table has no line for it. */
final class MissingClaims {
    private final Set<ObjectKey> claims;
    private final SequencedMap<MissingPlace, List<ObjectKey>> places = new LinkedHashMap<>();

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
        completed.forEach(missing::add);
        return missing.places.entrySet().stream()
                .map(each -> each.getKey().warning(each.getValue()))
                .toList();
    }

    /** An entry of a pod, or of the template of several pods, whose claim or template is missing. */
    private record MissingPlace(SourceLocation location, String field, String entry, String object) {
        ManifestFinding warning(List<ObjectKey> pods) {
            return new ManifestFinding(
                    ManifestFinding.Severity.WARNING,
                    location,
                    field,
                    entry,
                    "there is no %s, so %s"
                            .formatted(
                                    object,
                                    pods.size() == 1
                                            ? "pod %s is pending".formatted(pods.getFirst())
                                            : "%d pods are pending (%s and others)"
                                                    .formatted(pods.size(), pods.getFirst())),
                    "correct the name, or add the object");
        }
    }

    private void add(Manifest manifest) {
        if (manifest.object() instanceof Pod pod && !pod.finished()) {
            for (int i = 0; i < pod.resourceClaims().size(); i++) {
                String field = "spec.resourceClaims[" + i + "]";
                PodClaim claim = pod.resourceClaims().get(i);
                missingObject(pod, claim.source())
                        .map(what -> new MissingPlace(
                                manifest.locationOf(field), manifest.pathInText(field), claim.name(), what))
                        .ifPresent(place -> places.computeIfAbsent(place, _ -> new ArrayList<>())
                                .add(pod.key()));
            }
        }
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

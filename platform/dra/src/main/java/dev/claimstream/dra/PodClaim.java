package dev.claimstream.dra;

import java.util.Optional;

/**
 * An entry of {@code pod.spec.resourceClaims}.
 *
 * @param name the name in the pod
 * @param containers the number of containers that use it, including init containers
 */
public record PodClaim(String name, ClaimSource source, int containers) {
    /** Creates an entry that no container uses. */
    public PodClaim(String name, ClaimSource source) {
        this(name, source, 0);
    }

    /** Returns a copy with this source. */
    public PodClaim withSource(ClaimSource other) {
        return new PodClaim(name, other, containers);
    }

    /** Returns the name of the claim; absent until the claim is created. */
    public Optional<String> claim() {
        return switch (source) {
            case ClaimSource.ClaimReference named -> Optional.of(named.claim());
            case ClaimSource.GeneratedClaim generated -> Optional.of(generated.claim());
            case ClaimSource.TemplateReference _, ClaimSource.NoClaimNeeded _ -> Optional.empty();
        };
    }

    /** How the pod names its claim: directly, or by a template. */
    public sealed interface ClaimSource {
        /** An existing claim in the pod's namespace ({@code resourceClaimName}). */
        record ClaimReference(String claim) implements ClaimSource {}

        /** A template whose claim the pod status does not name yet ({@code resourceClaimTemplateName}). */
        record TemplateReference(String template) implements ClaimSource {}

        /** A claim that was generated from a template and that the pod status names. */
        record GeneratedClaim(String template, String claim) implements ClaimSource {}

        /** A template for which the pod status says that no claim is needed. */
        record NoClaimNeeded(String template) implements ClaimSource {}
    }

    /** Returns whether both entries have the same name and the same spec reference, regardless of generated claims. */
    boolean isSameReference(PodClaim other) {
        return name.equals(other.name) && reference().equals(other.reference());
    }

    private ClaimSource reference() {
        return switch (source) {
            case ClaimSource.ClaimReference named -> named;
            case ClaimSource.TemplateReference from -> from;
            case ClaimSource.GeneratedClaim generated -> new ClaimSource.TemplateReference(generated.template());
            case ClaimSource.NoClaimNeeded none -> new ClaimSource.TemplateReference(none.template());
        };
    }
}

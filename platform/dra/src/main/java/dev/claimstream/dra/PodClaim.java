package dev.claimstream.dra;

import java.util.Optional;

/**
 * An entry of {@code pod.spec.resourceClaims}.
 *
 * @param name the name in the pod
 * @param containers the number of containers that use it, including init containers
 */
public record PodClaim(String name, Source source, int containers) {
    /** Creates an entry that no container uses. */
    public PodClaim(String name, Source source) {
        this(name, source, 0);
    }

    /** Returns a copy with this source. */
    public PodClaim from(Source other) {
        return new PodClaim(name, other, containers);
    }

    /** Returns the name of the claim; absent until the claim is created. */
    public Optional<String> claim() {
        return switch (source) {
            case Source.Named named -> Optional.of(named.claim());
            case Source.Made made -> Optional.of(made.claim());
            case Source.FromTemplate _, Source.NotNeeded _ -> Optional.empty();
        };
    }

    /** The source of the claim. */
    public sealed interface Source {
        /** An existing claim in the pod's namespace ({@code resourceClaimName}). */
        record Named(String claim) implements Source {}

        /** A template whose claim the pod status does not name yet ({@code resourceClaimTemplateName}). */
        record FromTemplate(String template) implements Source {}

        /** A claim that was generated from a template and that the pod status names. */
        record Made(String template, String claim) implements Source {}

        /** A template for which the pod status says that no claim is needed. */
        record NotNeeded(String template) implements Source {}
    }

    /** Returns whether both entries have the same name and the same spec reference, regardless of generated claims. */
    boolean isSameReference(PodClaim other) {
        return name.equals(other.name) && reference().equals(other.reference());
    }

    private Source reference() {
        return switch (source) {
            case Source.Named named -> named;
            case Source.FromTemplate from -> from;
            case Source.Made made -> new Source.FromTemplate(made.template());
            case Source.NotNeeded none -> new Source.FromTemplate(none.template());
        };
    }
}

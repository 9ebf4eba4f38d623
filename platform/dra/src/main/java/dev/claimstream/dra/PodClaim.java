package dev.claimstream.dra;

import java.util.Optional;

/**
 * An entry of {@code pod.spec.resourceClaims}.
 *
 * @param name the name inside the pod
 * @param containers how many of the pod's containers use it, init containers too
 */
public record PodClaim(String name, Source source, int containers) {
    /** An entry that no container uses. */
    public PodClaim(String name, Source source) {
        this(name, source, 0);
    }

    /** The same entry with another source. */
    public PodClaim from(Source other) {
        return new PodClaim(name, other, containers);
    }

    /** The name of the claim, once it is made. */
    public Optional<String> claim() {
        return switch (source) {
            case Source.Named named -> Optional.of(named.claim());
            case Source.Made made -> Optional.of(made.claim());
            case Source.FromTemplate _, Source.NotNeeded _ -> Optional.empty();
        };
    }

    /** Where the claim comes from. */
    public sealed interface Source {
        /** A claim of this name in the pod's namespace. */
        record Named(String claim) implements Source {}

        /** A claim to be made from this template; the pod's status does not name it yet. */
        record FromTemplate(String template) implements Source {}

        /** The claim made from this template, as the pod's status names it. */
        record Made(String template, String claim) implements Source {}

        /** The pod's status says that no claim is needed. */
        record NotNeeded(String template) implements Source {}
    }

    /** Whether both entries have one name and say the same of where the claim comes from, whatever has been made of it. */
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

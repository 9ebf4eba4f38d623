package dev.claimstream.selectors.values;

import dev.cel.common.types.OpaqueType;
import dev.claimstream.dra.SemanticVersion;

/** A semantic version; values are equal without regard to build metadata, which only the text contains. */
@SuppressWarnings("Immutable") // SemanticVersion is immutable, but has no annotation
public final class SemverValue extends KubernetesValue {
    private final SemanticVersion version;
    private final String build;

    private SemverValue(SemanticVersion version, String build) {
        this.version = version;
        this.build = build;
    }

    /** Creates a version from its parsed form and its text. */
    public static SemverValue of(SemanticVersion version, String text) {
        int plus = text.indexOf('+');
        return new SemverValue(version, plus < 0 ? "" : text.substring(plus));
    }

    public SemanticVersion version() {
        return version;
    }

    @Override
    public OpaqueType celType() {
        return KubernetesTypes.VERSION;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SemverValue v && version.equals(v.version);
    }

    @Override
    public int hashCode() {
        return version.hashCode();
    }

    @Override
    public String toString() {
        return version + build;
    }
}

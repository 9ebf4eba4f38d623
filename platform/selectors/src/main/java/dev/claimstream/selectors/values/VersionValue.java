package dev.claimstream.selectors.values;

import dev.cel.common.types.OpaqueType;
import dev.claimstream.dra.SemanticVersion;

/** A semantic version; equal without regard to build metadata, which only its text has. */
@SuppressWarnings("Immutable") // the version is, but says so in no annotation
public final class VersionValue extends KubernetesValue {
    private final SemanticVersion version;
    private final String build;

    private VersionValue(SemanticVersion version, String build) {
        this.version = version;
        this.build = build;
    }

    /** A version that was read from a text. */
    public static VersionValue of(SemanticVersion version, String text) {
        int plus = text.indexOf('+');
        return new VersionValue(version, plus < 0 ? "" : text.substring(plus));
    }

    /** The version. */
    public SemanticVersion version() {
        return version;
    }

    @Override
    public OpaqueType celType() {
        return KubernetesTypes.VERSION;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof VersionValue v && version.equals(v.version);
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

package dev.claimstream.selectors.values;

import dev.cel.common.types.OpaqueType;
import dev.claimstream.dra.SemanticVersion;

/** A semantic version; equal without regard to build metadata. */
@SuppressWarnings("Immutable") // the version is, but says so in no annotation
public final class VersionValue extends KubernetesValue {
    private final SemanticVersion version;

    public VersionValue(SemanticVersion version) {
        this.version = version;
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
        return version.toString();
    }
}

package dev.claimstream.selectors.functions;

import dev.cel.common.types.OpaqueType;
import dev.claimstream.selectors.values.KubernetesTypes;
import dev.claimstream.selectors.values.KubernetesValue;

/** A named format as a CEL value. */
public final class FormatValue extends KubernetesValue {
    private final NamedFormat format;

    FormatValue(NamedFormat format) {
        this.format = format;
    }

    public NamedFormat format() {
        return format;
    }

    @Override
    public OpaqueType celType() {
        return KubernetesTypes.FORMAT;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FormatValue f && format == f.format;
    }

    @Override
    public int hashCode() {
        return format.celName().hashCode();
    }

    @Override
    public String toString() {
        return "format." + format.celName();
    }
}

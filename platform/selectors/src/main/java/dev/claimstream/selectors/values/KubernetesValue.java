package dev.claimstream.selectors.values;

import dev.cel.common.types.OpaqueType;

/** A value of a type that Kubernetes adds to CEL. */
public abstract class KubernetesValue {
    /** Returns the type that the checker of CEL knows for this value. */
    public abstract OpaqueType celType();

    /** Returns the name of the Go type without its package. */
    public final String goName() {
        String name = celType().name();
        return name.substring(name.lastIndexOf('.') + 1).replace("NamedFormat", "Format");
    }
}

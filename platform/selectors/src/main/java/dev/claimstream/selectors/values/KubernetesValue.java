package dev.claimstream.selectors.values;

import dev.cel.common.types.OpaqueType;

/** A value of a type that Kubernetes adds. */
public abstract class KubernetesValue {
    /** The type. */
    public abstract OpaqueType celType();

    /** The name of the type in Go, without its package. */
    public final String goName() {
        String name = celType().name();
        return name.substring(name.lastIndexOf('.') + 1).replace("NamedFormat", "Format");
    }
}

package dev.claimstream.selectors.values;

import dev.cel.common.values.OpaqueValue;

/** A value of a type that Kubernetes adds. It is its own CEL value, so the evaluator hands it on untouched. */
public abstract class KubernetesValue extends OpaqueValue {
    @Override
    public final Object value() {
        return this;
    }
}

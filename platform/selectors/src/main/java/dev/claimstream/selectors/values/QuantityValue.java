package dev.claimstream.selectors.values;

import dev.cel.common.types.OpaqueType;
import dev.claimstream.dra.Quantity;

/** An amount; equal by amount. */
@SuppressWarnings("Immutable") // the quantity is, but says so in no annotation
public final class QuantityValue extends KubernetesValue {
    private final Quantity quantity;

    public QuantityValue(Quantity quantity) {
        this.quantity = quantity;
    }

    /** The amount. */
    public Quantity quantity() {
        return quantity;
    }

    @Override
    public OpaqueType celType() {
        return KubernetesTypes.QUANTITY;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof QuantityValue q && quantity.equals(q.quantity);
    }

    @Override
    public int hashCode() {
        return quantity.hashCode();
    }

    @Override
    public String toString() {
        return quantity.toString();
    }
}

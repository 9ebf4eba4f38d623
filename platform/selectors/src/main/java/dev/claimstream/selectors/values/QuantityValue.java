package dev.claimstream.selectors.values;

import dev.cel.common.types.OpaqueType;
import dev.claimstream.dra.Quantity;

/** An amount; values are equal if their amounts are equal. */
@SuppressWarnings("Immutable") // Quantity is immutable, but has no annotation
public final class QuantityValue extends KubernetesValue {
    private final Quantity quantity;
    private final boolean isComputed;

    private QuantityValue(Quantity quantity, boolean isComputed) {
        this.quantity = quantity;
        this.isComputed = isComputed;
    }

    public QuantityValue(Quantity quantity) {
        this(quantity, false);
    }

    /** Creates the result of a calculation. Upstream represents it differently: a comparison with it on the right side is an error. */
    public static QuantityValue computed(Quantity quantity) {
        return new QuantityValue(quantity, true);
    }

    /** Returns whether this is the result of a calculation. */
    public boolean isComputed() {
        return isComputed;
    }

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

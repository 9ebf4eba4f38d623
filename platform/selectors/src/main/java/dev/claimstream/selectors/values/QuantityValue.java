package dev.claimstream.selectors.values;

import dev.cel.common.types.OpaqueType;
import dev.claimstream.dra.Quantity;

/** An amount; equal by amount. */
@SuppressWarnings("Immutable") // the quantity is, but says so in no annotation
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

    /** The result of a calculation, which upstream holds otherwise: nothing can be asked whether it equals it. */
    public static QuantityValue computed(Quantity quantity) {
        return new QuantityValue(quantity, true);
    }

    /** Whether it is the result of a calculation. */
    public boolean isComputed() {
        return isComputed;
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

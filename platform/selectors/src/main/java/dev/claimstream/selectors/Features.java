package dev.claimstream.selectors;

import dev.claimstream.dra.Feature;

/**
 * The Kubernetes feature gates that change the permitted selectors.
 *
 * @param consumableCapacity whether a device has the field {@code allowMultipleAllocations}
 * @param listTypeAttributes whether attributes can be lists; then macros apply to them, and {@code includes} exists
 */
public record Features(boolean consumableCapacity, boolean listTypeAttributes) {
    /** The features of kube-scheduler 1.37 for stored selectors: everything, independent of the gates for new selectors. */
    public static final Features DEFAULT = new Features(true, true);

    /** Returns the features of an API server for new selectors. */
    public static Features ofNew(dev.claimstream.dra.FeatureGates gates) {
        return new Features(gates.has(Feature.CONSUMABLE_CAPACITY), gates.has(Feature.LIST_TYPE_ATTRIBUTES));
    }
}

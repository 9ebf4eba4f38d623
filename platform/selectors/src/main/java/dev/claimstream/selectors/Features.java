package dev.claimstream.selectors;

import dev.claimstream.dra.Feature;

/**
 * The feature gates of Kubernetes that change what a selector may say.
 *
 * @param consumableCapacity whether a device has the field {@code allowMultipleAllocations}
 * @param listTypeAttributes whether attributes may be lists: then macros apply to them and {@code includes} exists
 */
public record Features(boolean consumableCapacity, boolean listTypeAttributes) {
    /** What the scheduler of Kubernetes 1.37 reads in stored selectors: everything, whatever the gates say of new ones. */
    public static final Features DEFAULT = new Features(true, true);

    /** What an API server with these gates takes in a new selector. */
    public static Features ofNew(dev.claimstream.dra.Features gates) {
        return new Features(gates.has(Feature.CONSUMABLE_CAPACITY), gates.has(Feature.LIST_TYPE_ATTRIBUTES));
    }
}
